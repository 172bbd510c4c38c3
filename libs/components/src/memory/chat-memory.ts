import { ComponentError, isPartHandle } from '@millrace/flow';
import type { ComponentContext, Message, PartHandle, PythonValue } from '@millrace/flow';

/** Messages of sessions, kept somewhere else than with the runs. */
export abstract class ChatMemory {
  /** The messages of a session, oldest first, the newest of them where there are very many. */
  abstract read(sessionId: string, context: ComponentContext): Promise<readonly Message[]>;
  /** Adds a message to a session. */
  abstract add(sessionId: string, message: Message, context: ComponentContext): Promise<void>;
}

/** The memory as a value for a wire. */
export function memoryHandle(memory: ChatMemory): PartHandle {
  return { kind: 'part', name: 'chat memory', content: memory };
}

/** The memory that a wire brings; null without one. Throws a ComponentError for anything else. */
export function wiredMemory(value: PythonValue): ChatMemory | null {
  if (value === null || value === '') return null;
  if (isPartHandle(value) && value.content instanceof ChatMemory) return value.content;
  throw new ComponentError('What is wired to the input "memory" is no chat memory.');
}
