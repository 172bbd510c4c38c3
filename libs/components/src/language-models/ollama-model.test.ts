import { failureOf, flow, node, runFlow } from '../testing/flow-under-test.fixture';
import { describeCompatibleModel } from './compatible-model.contract';

describeCompatibleModel('OllamaModel', { baseUrlField: 'base_url', apiKeyField: 'api_key', path: '/v1' });

test('rejects an invalid address', async () => {
  const values = { base_url: 'http://my server', model_name: 'some-model', input_value: 'q' };
  const run = runFlow(flow([node('Model-m', 'OllamaModel', values)]), { show: 'Model-m' });
  expect(await failureOf(run)).toContain('The address of Ollama is not a web address.');
});
