import { failureOf, flow, node, runFlow } from '../testing/flow-under-test.fixture';
import { modelNode, modelEdge } from './crew.fixture';

const member = node('CrewAIAgentComponent-a', 'CrewAIAgentComponent', { role: 'Miller' });

test('passes on a member, calls no model, and shows no key', async () => {
  const document = flow([modelNode, member], [modelEdge('CrewAIAgentComponent-a')]);
  const { result } = await runFlow(document, { show: 'CrewAIAgentComponent-a' });
  expect(result?.component_id).toBe('CrewAIAgentComponent-a');
  expect(JSON.stringify(result)).not.toMatch(/key-of-a-crew|apiKey/);
});

test('reports a missing model', async () => {
  expect(await failureOf(runFlow(flow([member])))).toContain(
    'A language model must be connected to the agent.',
  );
});
