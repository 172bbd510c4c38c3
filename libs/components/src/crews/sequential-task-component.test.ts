import { failureOf, flow, node, runFlow } from '../flow-under-test.fixture';

test('says that a member is missing', async () => {
  const task = node('Task-t', 'SequentialTaskComponent', { task_description: 'Grind.' });
  expect(await failureOf(runFlow(flow([task])))).toContain('An agent must be wired to the task.');
});
