import { defineComponent, handle, Message } from '@millrace/flow';
import { flow, node, runFlow, wire } from '../flow-under-test.fixture';
import { wiredTasks } from './crew-task';

/** Shows what the tasks that are wired to it ask for. */
const questions = defineComponent({
  type: 'Questions',
  displayName: 'Questions',
  description: 'Shows tasks for a test.',
  inputs: { tasks: handle() },
  outputs: { text: { types: ['Message'] } },
  deterministic: true,
  run: ({ tasks }) => ({
    text: new Message({
      text: wiredTasks(tasks)
        .map((task) => task.question([]))
        .join('---'),
    }),
  }),
});

test('hands on a task that names no member', async () => {
  const values = { task_description: 'Grind.', expected_output: 'Flour.' };
  const document = flow(
    [node('Task-t', 'HierarchicalTaskComponent', values), node('Questions-q', 'Questions')],
    [wire('Task-t', 'task_output', 'Questions-q', 'tasks')],
  );
  const { text } = await runFlow(document, { show: 'Questions-q', further: [questions] });
  expect(text).toBe(
    'Your task: Grind.\n\nWhat is expected of your answer: Flour.\n\nGive the whole answer, not a summary of it.',
  );
});
