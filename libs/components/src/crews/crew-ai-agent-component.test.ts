import { failureOf, flow, node, runFlow } from '../flow-under-test.fixture';
import { modelNode, modelWire } from './crew.fixture';

const member = node('CrewAIAgentComponent-a', 'CrewAIAgentComponent', { role: 'Miller' });

test('hands a member on, calls nobody, and shows no key', async () => {
  const document = flow([modelNode, member], [modelWire('CrewAIAgentComponent-a')]);
  const { result } = await runFlow(document, { show: 'CrewAIAgentComponent-a' });
  expect(result?.component_id).toBe('CrewAIAgentComponent-a');
  expect(JSON.stringify(result)).not.toMatch(/key-of-a-crew|apiKey/);
});

test('says that a model is missing', async () => {
  expect(await failureOf(runFlow(flow([member])))).toContain('A language model must be wired to the agent.');
});
