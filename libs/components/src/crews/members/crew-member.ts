import { ComponentError, isModelHandle, isPartHandle, isToolHandle } from '@millrace/flow';
import type { PartHandle, ToolHandle } from '@millrace/flow';
import type { PythonValue } from '@millrace/python-text';
import { chatModelOf } from '../../language-models/choice/chat-model';
import type { ChatModel } from '../../integrations/models/chat-protocol';

/** A member of a crew. */
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

  /** The system prompt that describes the member to its model. */
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

/** Returns the member as a value for an edge. */
export function memberHandle(member: CrewMember): PartHandle {
  return { kind: 'part', name: 'crew member', content: member };
}

/** Returns the members that edges supply. */
export function connectedMembers(value: PythonValue): readonly CrewMember[] {
  const items: readonly PythonValue[] = Array.isArray(value) ? value : [value];
  return items.flatMap((item) =>
    isPartHandle(item) && item.content instanceof CrewMember ? [item.content] : [],
  );
}

/** Returns the model that an edge supplies. Throws a ComponentError with the vertex that lacks it. */
export function connectedModel(value: PythonValue, vertexName: string): ChatModel {
  const handle: PythonValue | undefined = Array.isArray(value) ? (value as readonly PythonValue[])[0] : value;
  const chat = isModelHandle(handle) ? chatModelOf(handle) : null;
  if (chat === null) throw new ComponentError(`A language model must be connected to ${vertexName}.`);
  return chat;
}

/** Returns the tools that edges supply. */
export function connectedTools(values: readonly PythonValue[]): readonly ToolHandle[] {
  return values.flat().filter((value) => isToolHandle(value));
}
