import type { ComponentContext, PythonObject, ToolHandle } from '@millrace/flow';
import type { CrewMember } from './crew-member';
import { runTask } from './run-task';

const parameters = {
  type: 'object',
  properties: {
    task: { type: 'string', description: 'What the colleague is to do, in full: it knows nothing else.' },
    context: { type: 'string', description: 'What the colleague has to know for it.' },
  },
  required: ['task'],
};

/** Tools by which a manager gives work to the members of a crew, one for each. */
export function delegationTools(
  members: readonly CrewMember[],
  context: ComponentContext,
): readonly ToolHandle[] {
  return members.map((member) => ({
    kind: 'tool',
    name: `delegate_to_${member.role.toLowerCase().replace(/[^a-z0-9]+/g, '_') || 'member'}`.slice(0, 64),
    description: `Gives a task to ${member.role || 'a colleague'}. ${member.goal}`.trim(),
    parameters,
    call: ({ task = '', context: known = '' }: PythonObject) =>
      runTask(
        member,
        [task, known]
          .filter((part) => part !== '')
          .map(String)
          .join('\n\n'),
        [],
        context,
      ),
  }));
}
