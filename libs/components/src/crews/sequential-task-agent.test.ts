import { flow, node, runFlow } from '../testing/flow-under-test.fixture';
import { modelNode, modelEdge } from './crew.fixture';

test('passes on the task with its member, and shows no key', async () => {
  const task = node('TaskAgent-a', 'SequentialTaskAgentComponent', { task_description: 'Grind.' });
  const document = flow([modelNode, task], [modelEdge('TaskAgent-a')]);
  const { result } = await runFlow(document, { show: 'TaskAgent-a' });
  expect(result?.component_id).toBe('TaskAgent-a');
  expect(JSON.stringify(result)).not.toMatch(/key-of-a-crew|apiKey/);
});
