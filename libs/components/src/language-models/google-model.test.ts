import { flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';
import { startGoogleServer } from '../integrations/google/google-server.fixture';
import { serviceForEachTest } from '../integrations/http/fake-service.fixture';

const service = serviceForEachTest(startGoogleServer);

const ask = (values: Readonly<Record<string, unknown>>) =>
  runFlow(
    flow(
      [
        node('ChatInput-a', 'ChatInput'),
        node('Model-m', 'GoogleGenerativeAIModel', values),
        node('ChatOutput-z', 'ChatOutput'),
      ],
      [
        edge('ChatInput-a', 'message', 'Model-m', 'input_value'),
        edge('Model-m', 'text_output', 'ChatOutput-z', 'input_value'),
      ],
    ),
    { input: 'q', variables: { GOOGLE_GEMINI_BASE_URL: service.url } },
  );

test('sends the settings of a current node', async () => {
  const values = {
    model_name: 'gemini-2.5-pro',
    api_key: 'a-key',
    max_output_tokens: 50,
    top_k: 4,
    top_p: 0.5,
  };
  expect((await ask(values)).text).toBe('You said q');
  expect(service.asked[0]).toMatchObject({
    path: '/v1beta/models/gemini-2.5-pro:generateContent',
    headers: { 'x-goog-api-key': 'a-key' },
    json: { generationConfig: { temperature: 0.1, maxOutputTokens: 50, topK: 4, topP: 0.5 } },
  });
});

test('sends the settings of older nodes', async () => {
  const values = { model_name: '', model: 'models/gemini-1.5-pro', api_key: '', google_api_key: 'old-key' };
  await ask({ ...values, max_output_tokens: '', temperature: 0.3 });
  expect(service.asked[0]).toMatchObject({
    path: '/v1beta/models/gemini-1.5-pro:generateContent',
    headers: { 'x-goog-api-key': 'old-key' },
  });
  expect(service.asked[0]?.json).toHaveProperty('generationConfig', { temperature: 0.3 });
});
