import { failureOf, flow, node, runFlow } from '../testing/flow-under-test.fixture';

test('reports a missing member', async () => {
  const task = node('Task-t', 'SequentialTaskComponent', { task_description: 'Grind.' });
  expect(await failureOf(runFlow(flow([task])))).toContain('An agent must be connected to the task.');
});
