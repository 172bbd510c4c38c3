import { isPartHandle } from '@millrace/flow';
import type { PartHandle, ToolHandle } from '@millrace/flow';
import type { PythonValue } from '@millrace/python-text';
import type { CrewMember } from '../members/crew-member';

/** A task for a crew. */
export class CrewTask {
  readonly description: string;
  readonly expectedOutput: string;
  /** The member who does the task; null leaves the choice to the crew's manager. */
  readonly member: CrewMember | null;
  /** Tools for this task, in addition to those of the member. */
  readonly tools: readonly ToolHandle[];

  constructor(parts: Pick<CrewTask, 'description' | 'expectedOutput' | 'member' | 'tools'>) {
    this.description = parts.description;
    this.expectedOutput = parts.expectedOutput;
    this.member = parts.member;
    this.tools = parts.tools;
  }

  /** Returns the prompt for a model; `context` contains the answers to earlier tasks. */
  prompt(context: readonly string[]): string {
    return [
      `Your task: ${this.description}`,
      this.expectedOutput === '' ? '' : `Expected output: ${this.expectedOutput}`,
      context.length === 0 ? '' : `Results of earlier tasks:\n${context.join('\n\n')}`,
      'Give the full answer, not a summary.',
    ]
      .filter((part) => part !== '')
      .join('\n\n');
  }
}

/** Returns a task as a value for an edge. */
export function taskHandle(task: CrewTask): PartHandle {
  return { kind: 'part', name: 'crew task', content: task };
}

/** Returns the tasks that edges supply, in order. */
export function connectedTasks(value: PythonValue): readonly CrewTask[] {
  if (Array.isArray(value)) return (value as readonly PythonValue[]).flatMap(connectedTasks);
  return isPartHandle(value) && value.content instanceof CrewTask ? [value.content] : [];
}
