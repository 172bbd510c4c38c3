import { defineComponent, handle } from '@millrace/flow';
import { CrewMember, connectedModel, connectedTools } from './members/crew-member';
import { CrewTask, taskHandle, connectedTasks } from './tasks/crew-task';
import { memberInputs, taskInputs } from './members/member-inputs';

export default defineComponent({
  type: 'SequentialTaskAgentComponent',
  displayName: 'Sequential Task Agent',
  description: 'Describes a task and the member of a crew who does it, after any previous tasks.',
  inputs: {
    ...memberInputs,
    ...taskInputs,
    previous_task: handle({ displayName: 'Previous Task', inputTypes: ['SequentialTask'] }),
  },
  outputs: { task_output: { types: ['SequentialTask'], displayName: 'Sequential Task', tool: false } },
  deterministic: true,
  approvesTools: true,
  run: ({ role, goal, backstory, tools, llm, previous_task, ...task }) => {
    const member = new CrewMember({
      role,
      goal,
      backstory,
      chat: connectedModel(llm, 'the task'),
      tools: connectedTools(tools),
    });
    const ownTask = new CrewTask({
      description: task.task_description,
      expectedOutput: task.expected_output,
      member,
      tools: [],
    });
    return { task_output: [...connectedTasks(previous_task), ownTask].map(taskHandle) };
  },
});
