import { failureOf } from '../testing/flow-under-test.fixture';
import { startModelServerUnderTest } from '../integrations/openai/openai-server.fixture';
import { embedWith } from './embeddings.contract';

test('calls the deployment for a host or a full address', async () => {
  const server = await startModelServerUnderTest();
  const host = server.url.replace('/v1', '');
  const values = {
    azure_deployment: 'small',
    api_key: 'key-of-azure',
    api_version: '2024-06-01',
    dimensions: 2,
  };
  await embedWith('AzureOpenAIEmbeddings', { ...values, azure_endpoint: host });
  await embedWith('AzureOpenAIEmbeddings', {
    ...values,
    azure_endpoint: `${host}/openai/deployments/other/embeddings?api-version=2023-05-15`,
  });
  const expected = {
    path: '/openai/deployments/small/embeddings?api-version=2024-06-01',
    headers: { 'api-key': 'key-of-azure' },
    body: { model: 'text-embedding-3-small', dimensions: 2 },
  };
  expect(server.requests).toMatchObject([expected, expected]);
  await server.close();
});

test('reports missing settings', async () => {
  expect(await failureOf(embedWith('AzureOpenAIEmbeddings', { api_key: 'k' }))).toContain(
    'An Azure endpoint and the name of a deployment are required.',
  );
});
