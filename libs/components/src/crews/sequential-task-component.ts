import { ComponentError, defineComponent, handle, listOf } from '@millrace/flow';
import { wiredMembers, wiredTools } from './crew-member';
import { CrewTask, taskHandle, wiredTasks } from './crew-task';
import { taskInputs } from './member-inputs';

export default defineComponent({
  type: 'SequentialTaskComponent',
  displayName: 'Sequential Task',
  description: 'Describes a task for one member of a crew, after the tasks that come before it.',
  inputs: {
    ...taskInputs,
    tools: listOf(handle({ displayName: 'Tools', inputTypes: ['Tool'], advanced: true })),
    agent: handle({ displayName: 'Agent', inputTypes: ['Agent'], required: true }),
    task: handle({ displayName: 'Task', inputTypes: ['SequentialTask'] }),
  },
  outputs: { task_output: { types: ['SequentialTask'], displayName: 'Task', tool: false } },
  deterministic: true,
  run: ({ task_description: description, expected_output: expectedOutput, tools, agent, task }) => {
    const [member] = wiredMembers(agent);
    if (member === undefined) throw new ComponentError('An agent must be wired to the task.');
    const own = new CrewTask({ description, expectedOutput, member, tools: wiredTools(tools) });
    return { task_output: [...wiredTasks(task), own].map(taskHandle) };
  },
});
