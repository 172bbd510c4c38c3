import { ComponentError, isPartHandle } from '@millrace/flow';
import type { ComponentContext, PartHandle } from '@millrace/flow';
import type { Message, PythonValue } from '@millrace/python-text';

/** Messages of sessions, stored outside of the runs' database. */
export abstract class ChatMemory {
  /** Returns the messages of a session, oldest first; only the newest when there are very many. */
  abstract read(sessionId: string, context: ComponentContext): Promise<readonly Message[]>;
  /** Adds a message to a session. */
  abstract add(sessionId: string, message: Message, context: ComponentContext): Promise<void>;
}

/** Returns the memory as a value for an edge. */
export function memoryHandle(memory: ChatMemory): PartHandle {
  return { kind: 'part', name: 'chat memory', content: memory };
}

/** Returns the connected memory; null without one. Throws a ComponentError for any other value. */
export function connectedMemory(value: PythonValue): ChatMemory | null {
  if (value === null || value === '') return null;
  if (isPartHandle(value) && value.content instanceof ChatMemory) return value.content;
  throw new ComponentError('The value connected to the input "memory" is not a chat memory.');
}
