import { failureOf, flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';
import { startModelServerUnderTest } from '../integrations/openai/openai-server.fixture';
import type { ModelServerUnderTest } from '../integrations/openai/openai-server.fixture';

let server: ModelServerUnderTest;
beforeAll(async () => {
  server = await startModelServerUnderTest();
});
afterAll(() => server.close());

const asking = (values: Record<string, unknown>): unknown =>
  flow(
    [
      node('ChatInput-a', 'ChatInput'),
      node('AzureOpenAIModel-m', 'AzureOpenAIModel', values),
      node('ChatOutput-z', 'ChatOutput'),
    ],
    [
      edge('ChatInput-a', 'message', 'AzureOpenAIModel-m', 'input_value'),
      edge('AzureOpenAIModel-m', 'text_output', 'ChatOutput-z', 'input_value'),
    ],
  );

test('calls the deployment, with the key in the `api-key` header', async () => {
  const values = {
    azure_endpoint: server.url.replace('/v1', '/'),
    azure_deployment: 'small one',
    api_key: 'key-of-azure',
    api_version: '2024-06-01',
    max_tokens: 9,
  };
  expect((await runFlow(asking(values), { input: 'q' })).text).toBe('Hello big world');
  const [asked] = server.requests;
  expect(asked).toMatchObject({
    path: '/openai/deployments/small%20one/chat/completions?api-version=2024-06-01',
    headers: { 'api-key': 'key-of-azure' },
    body: { model: 'small one', temperature: 0.7, max_tokens: 9 },
  });
  expect(asked?.headers.authorization).toBeUndefined();
});

test('reports missing settings', async () => {
  expect(await failureOf(runFlow(asking({ azure_endpoint: server.url }), { input: 'q' }))).toContain(
    'An Azure endpoint and the name of a deployment are required.',
  );
});
