import { flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';
import { fetchFrom } from '../integrations/http/fake-service.fixture';
import { describeCompatibleModel } from './compatible-model.contract';
import { startModelServerUnderTest } from '../integrations/openai/openai-server.fixture';

describeCompatibleModel('HuggingFaceModel', {
  baseUrlField: 'inference_endpoint',
  apiKeyField: 'huggingfacehub_api_token',
  path: '/v1',
  values: { model_id: 'some-model', max_new_tokens: 9 },
});

test('calls the router when a node has the former address, with the custom model of the node', async () => {
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
      edge('ChatInput-a', 'message', 'Model-m', 'input_value'),
      edge('Model-m', 'text_output', 'ChatOutput-z', 'input_value'),
    ],
  );
  const router = { url: server.url.replace(/\/v1$/, '') };
  await runFlow(document, { input: 'q', fetch: fetchFrom({ 'router.huggingface.co': router }) });
  expect(server.requests[0]).toMatchObject({
    path: '/v1/chat/completions',
    body: { model: 'Qwen/QwQ-32B', max_tokens: 512 },
  });
  await server.close();
});
