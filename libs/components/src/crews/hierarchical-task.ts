import { defineComponent, handle, listOf } from '@millrace/flow';
import { connectedTools } from './members/crew-member';
import { CrewTask, taskHandle } from './tasks/crew-task';
import { taskInputs } from './members/member-inputs';

export default defineComponent({
  type: 'HierarchicalTaskComponent',
  displayName: 'Hierarchical Task',
  description: 'Describes a task for the manager of a hierarchical crew.',
  inputs: {
    ...taskInputs,
    tools: listOf(handle({ displayName: 'Tools', inputTypes: ['Tool'], advanced: true })),
  },
  outputs: { task_output: { types: ['HierarchicalTask'], displayName: 'Task', tool: false } },
  deterministic: true,
  approvesTools: true,
  run: ({ task_description: description, expected_output: expectedOutput, tools }) => ({
    task_output: taskHandle(
      new CrewTask({ description, expectedOutput, member: null, tools: connectedTools(tools) }),
    ),
  }),
});
