import { flow, node, runFlow } from '../testing/flow-under-test.fixture';
import { describeCompatibleModel } from './compatible-model.contract';
import { startModelServerUnderTest } from '../integrations/openai/openai-server.fixture';

describeCompatibleModel('MistralModel', {
  baseUrlField: 'mistral_api_base',
  apiKeyField: 'api_key',
  path: '/v1',
});

test('sends the settings that are specific to Mistral', async () => {
  const server = await startModelServerUnderTest();
  const ask = (values: Readonly<Record<string, unknown>>) =>
    runFlow(
      flow([
        node('Model-m', 'MistralModel', {
          model_name: 'some-model',
          api_key: 'key',
          mistral_api_base: server.url,
          input_value: 'q',
          ...values,
        }),
      ]),
      { show: 'Model-m' },
    );
  await ask({ random_seed: 7, safe_mode: true });
  await ask({ random_seed: -1, safe_mode: false });
  await server.close();
  expect(server.requests[0]?.body).toMatchObject({ random_seed: 7, safe_prompt: true });
  expect(server.requests[1]?.body).not.toHaveProperty('random_seed');
  expect(server.requests[1]?.body).not.toHaveProperty('safe_prompt');
});
