import { ComponentError, isModelHandle, isPartHandle, isToolHandle } from '@millrace/flow';
import type { PartHandle, PythonValue, ToolHandle } from '@millrace/flow';
import { chatModelOf } from '../language-models/chat-model';
import type { ChatModel } from '../language-models/chat-model';

/** Somebody who works in a crew. */
export class CrewMember {
  readonly role: string;
  readonly goal: string;
  readonly backstory: string;
  readonly chat: ChatModel;
  readonly tools: readonly ToolHandle[];

  constructor(parts: Pick<CrewMember, 'role' | 'goal' | 'backstory' | 'chat' | 'tools'>) {
    this.role = parts.role.trim();
    this.goal = parts.goal.trim();
    this.backstory = parts.backstory.trim();
    this.chat = parts.chat;
    this.tools = parts.tools;
  }

  /** Who a member is, as its model is told. */
  get instructions(): string {
    return [
      this.role === '' ? '' : `You are ${this.role}.`,
      this.backstory,
      this.goal === '' ? '' : `Your goal is: ${this.goal}`,
    ]
      .filter((part) => part !== '')
      .join('\n');
  }
}

/** The member as a value for a wire. */
export function memberHandle(member: CrewMember): PartHandle {
  return { kind: 'part', name: 'crew member', content: member };
}

/** The members that wires bring. */
export function wiredMembers(value: PythonValue): readonly CrewMember[] {
  const items: readonly PythonValue[] = Array.isArray(value) ? value : [value];
  return items.flatMap((item) =>
    isPartHandle(item) && item.content instanceof CrewMember ? [item.content] : [],
  );
}

/** The model that a wire brings. Throws a ComponentError that names `whose` it should be. */
export function wiredModel(value: PythonValue, whose: string): ChatModel {
  const handle: PythonValue | undefined = Array.isArray(value) ? (value as readonly PythonValue[])[0] : value;
  const chat = isModelHandle(handle) ? chatModelOf(handle) : null;
  if (chat === null) throw new ComponentError(`A language model must be wired to ${whose}.`);
  return chat;
}

/** The tools that wires bring. */
export function wiredTools(values: readonly PythonValue[]): readonly ToolHandle[] {
  return values.flat().filter((value) => isToolHandle(value));
}
