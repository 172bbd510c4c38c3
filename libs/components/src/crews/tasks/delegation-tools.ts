import type { ComponentContext, ToolHandle } from '@millrace/flow';
import type { PythonObject } from '@millrace/python-text';
import type { CrewMember } from '../members/crew-member';
import { runTask } from './run-task';

const parameters = {
  type: 'object',
  properties: {
    task: { type: 'string', description: 'The complete task: the colleague has no other information.' },
    context: { type: 'string', description: 'The background that the colleague needs.' },
  },
  required: ['task'],
};

/** Returns one tool for each member of a crew, with which a manager delegates work to that member. */
export function delegationTools(
  members: readonly CrewMember[],
  context: ComponentContext,
): readonly ToolHandle[] {
  return members.map((member) => ({
    kind: 'tool',
    name: `delegate_to_${member.role.toLowerCase().replace(/[^a-z0-9]+/g, '_') || 'member'}`.slice(0, 64),
    description: `Gives a task to ${member.role || 'a colleague'}. ${member.goal}`.trim(),
    parameters,
    call: ({ task = '', context: background = '' }: PythonObject) =>
      runTask(
        member,
        [task, background]
          .filter((part) => part !== '')
          .map(String)
          .join('\n\n'),
        [],
        context,
      ),
  }));
}
