import { ComponentError, defineComponent, handle, listOf } from '@millrace/flow';
import { connectedMembers, connectedTools } from './members/crew-member';
import { CrewTask, taskHandle, connectedTasks } from './tasks/crew-task';
import { taskInputs } from './members/member-inputs';

export default defineComponent({
  type: 'SequentialTaskComponent',
  displayName: 'Sequential Task',
  description: 'Describes a task for one member of a crew, after any previous tasks.',
  inputs: {
    ...taskInputs,
    tools: listOf(handle({ displayName: 'Tools', inputTypes: ['Tool'], advanced: true })),
    agent: handle({ displayName: 'Agent', inputTypes: ['Agent'], required: true }),
    task: handle({ displayName: 'Task', inputTypes: ['SequentialTask'] }),
  },
  outputs: { task_output: { types: ['SequentialTask'], displayName: 'Task', tool: false } },
  deterministic: true,
  approvesTools: true,
  run: ({ task_description: description, expected_output: expectedOutput, tools, agent, task }) => {
    const [member] = connectedMembers(agent);
    if (member === undefined) throw new ComponentError('An agent must be connected to the task.');
    const ownTask = new CrewTask({ description, expectedOutput, member, tools: connectedTools(tools) });
    return { task_output: [...connectedTasks(task), ownTask].map(taskHandle) };
  },
});
