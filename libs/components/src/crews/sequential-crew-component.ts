import { ComponentError, defineComponent, handle, listOf, Message } from '@millrace/flow';
import { wiredTasks } from './crew-task';
import { requireTasks, runTask } from './run-task';

export default defineComponent({
  type: 'SequentialCrewComponent',
  displayName: 'Sequential Crew',
  description: 'Has the members of a crew do their tasks one after the other; the last answer counts.',
  approximates: 'Crews are run by our own agent, with prompts of its own; members do not delegate.',
  inputs: { tasks: listOf(handle({ displayName: 'Tasks', inputTypes: ['SequentialTask'], required: true })) },
  outputs: { output: { types: ['Message'], displayName: 'Output' } },
  deterministic: false,
  run: async ({ tasks: wired }, context) => {
    const tasks = wiredTasks(wired);
    requireTasks(tasks);
    const answers: string[] = [];
    for (const task of tasks) {
      if (task.member === null) throw new ComponentError('A task of a sequential crew needs an agent.');
      answers.push(await runTask(task.member, task.question(answers), task.tools, context));
    }
    return { output: new Message({ text: answers.at(-1) ?? '', sender: 'Machine' }) };
  },
});
