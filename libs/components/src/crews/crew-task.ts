import { isPartHandle } from '@millrace/flow';
import type { PartHandle, PythonValue, ToolHandle } from '@millrace/flow';
import type { CrewMember } from './crew-member';

/** Something a crew has to do. */
export class CrewTask {
  readonly description: string;
  readonly expectedOutput: string;
  /** Who does it; null leaves that to the crew's manager. */
  readonly member: CrewMember | null;
  /** Tools for this task, besides those of who does it. */
  readonly tools: readonly ToolHandle[];

  constructor(parts: Pick<CrewTask, 'description' | 'expectedOutput' | 'member' | 'tools'>) {
    this.description = parts.description;
    this.expectedOutput = parts.expectedOutput;
    this.member = parts.member;
    this.tools = parts.tools;
  }

  /** What has to be done, as a model is told; `context` is what earlier tasks gave. */
  question(context: readonly string[]): string {
    return [
      `Your task: ${this.description}`,
      this.expectedOutput === '' ? '' : `What is expected of your answer: ${this.expectedOutput}`,
      context.length === 0 ? '' : `What was found before:\n${context.join('\n\n')}`,
      'Give the whole answer, not a summary of it.',
    ]
      .filter((part) => part !== '')
      .join('\n\n');
  }
}

/** A task as a value for a wire. */
export function taskHandle(task: CrewTask): PartHandle {
  return { kind: 'part', name: 'crew task', content: task };
}

/** The tasks that wires bring, in their order. */
export function wiredTasks(value: PythonValue): readonly CrewTask[] {
  if (Array.isArray(value)) return (value as readonly PythonValue[]).flatMap(wiredTasks);
  return isPartHandle(value) && value.content instanceof CrewTask ? [value.content] : [];
}
