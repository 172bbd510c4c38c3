import { ComponentError, defineComponent, handle, listOf } from '@millrace/flow';
import { Message } from '@millrace/python-text';
import { connectedTasks } from './tasks/crew-task';
import { requireTasks, runTask } from './tasks/run-task';

export default defineComponent({
  type: 'SequentialCrewComponent',
  displayName: 'Sequential Crew',
  description: 'Runs the tasks of a crew one after the other and returns the answer to the last one.',
  approximates: "Crews run on Millrace's agent, with different prompts; members do not delegate.",
  inputs: { tasks: listOf(handle({ displayName: 'Tasks', inputTypes: ['SequentialTask'], required: true })) },
  outputs: { output: { types: ['Message'], displayName: 'Output' } },
  deterministic: false,
  run: async ({ tasks: connected }, context) => {
    const tasks = connectedTasks(connected);
    requireTasks(tasks);
    const answers: string[] = [];
    for (const task of tasks) {
      if (task.member === null) throw new ComponentError('A task of a sequential crew needs an agent.');
      answers.push(await runTask(task.member, task.prompt(answers), task.tools, context));
    }
    return { output: new Message({ text: answers.at(-1) ?? '', sender: 'Machine' }) };
  },
});
