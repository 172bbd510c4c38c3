import { defineComponent, handle } from '@millrace/flow';
import { Message } from '@millrace/python-text';
import { flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';
import { connectedTasks } from './tasks/crew-task';

/** Returns the prompts of the connected tasks. */
const questions = defineComponent({
  type: 'Questions',
  displayName: 'Questions',
  description: 'Shows tasks for a test.',
  inputs: { tasks: handle() },
  outputs: { text: { types: ['Message'] } },
  deterministic: true,
  run: ({ tasks }) => ({
    text: new Message({
      text: connectedTasks(tasks)
        .map((task) => task.prompt([]))
        .join('---'),
    }),
  }),
});

test('passes on a task without a member', async () => {
  const values = { task_description: 'Grind.', expected_output: 'Flour.' };
  const document = flow(
    [node('Task-t', 'HierarchicalTaskComponent', values), node('Questions-q', 'Questions')],
    [edge('Task-t', 'task_output', 'Questions-q', 'tasks')],
  );
  const { text } = await runFlow(document, { show: 'Questions-q', extraComponents: [questions] });
  expect(text).toBe('Your task: Grind.\n\nExpected output: Flour.\n\nGive the full answer, not a summary.');
});
