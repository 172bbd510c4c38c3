import { flow, node, runFlow, wire } from '../flow-under-test.fixture';
import { fetchFrom } from '../http/fake-service.fixture';
import { describeCompatibleModel } from './compatible-model.contract';
import { startModelServerUnderTest } from './model-server.fixture';

describeCompatibleModel('HuggingFaceModel', {
  baseUrlField: 'inference_endpoint',
  apiKeyField: 'huggingfacehub_api_token',
  path: '/v1',
  values: { model_id: 'some-model', max_new_tokens: 9 },
});

test('asks the router where a node names the address that was, for the model of its own choice', async () => {
  const server = await startModelServerUnderTest();
  const values = {
    model_id: 'custom',
    custom_model: 'Qwen/QwQ-32B',
    huggingfacehub_api_token: 'a-key',
    inference_endpoint: 'https://api-inference.huggingface.co/models/',
  };
  const document = flow(
    [
      node('ChatInput-a', 'ChatInput'),
      node('Model-m', 'HuggingFaceModel', values),
      node('ChatOutput-z', 'ChatOutput'),
    ],
    [
      wire('ChatInput-a', 'message', 'Model-m', 'input_value'),
      wire('Model-m', 'text_output', 'ChatOutput-z', 'input_value'),
    ],
  );
  const router = { url: server.url.replace(/\/v1$/, '') };
  await runFlow(document, { input: 'q', fetch: fetchFrom({ 'router.huggingface.co': router }) });
  expect(server.asked[0]).toMatchObject({
    path: '/v1/chat/completions',
    body: { model: 'Qwen/QwQ-32B', max_tokens: 512 },
  });
  await server.close();
});
