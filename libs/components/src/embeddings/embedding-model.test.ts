import { edge, failureOf, flow, node, runFlow } from '../testing/flow-under-test.fixture';
import { startGoogleServer } from '../integrations/google/google-server.fixture';
import { startModelServerUnderTest } from '../integrations/openai/openai-server.fixture';
import { describeEmbeddings, embedWith } from './embeddings.contract';

describeEmbeddings('EmbeddingModel', {
  values: (url) => ({
    model: [{ name: 'some-model', provider: 'OpenAI', metadata: {} }],
    api_base: url,
    api_key: 'key-of-a-field',
  }),
});

test('nodes from before 1.7 have separate fields for provider and model', async () => {
  const server = await startModelServerUnderTest();
  const values = { provider: 'Ollama', model: 'nomic', ollama_base_url: server.url.replace('/v1', '') };
  await embedWith('EmbeddingModel', values);
  expect(server.requests[0]).toMatchObject({ path: '/v1/embeddings', body: { model: 'nomic' } });
  await server.close();
});

test('passes on a connected embedding model', async () => {
  const server = await startModelServerUnderTest();
  const configured = { model: 'connected', openai_api_base: server.url, openai_api_key: 'sk' };
  await runFlow(
    flow(
      [
        node('OpenAI-o', 'OpenAIEmbeddings', configured),
        node('Embeddings-e', 'EmbeddingModel'),
        node('Embedder-x', 'TextEmbedderComponent', { message: 'one' }),
      ],
      [
        edge('OpenAI-o', 'embeddings', 'Embeddings-e', 'model'),
        edge('Embeddings-e', 'embeddings', 'Embedder-x', 'embedding_model'),
      ],
    ),
    { show: 'Embedder-x' },
  );
  expect(server.requests[0]).toMatchObject({ path: '/v1/embeddings', body: { model: 'connected' } });
  await server.close();
});

test('rejects a missing model and an unknown provider', async () => {
  expect(await failureOf(embedWith('EmbeddingModel', { api_key: 'sk' }))).toContain(
    'An embedding model selection is required',
  );
  expect(await failureOf(embedWith('EmbeddingModel', { provider: 'Elsewhere' }))).toContain('is not one of');
});

test('calls Google through its native API', async () => {
  const google = await startGoogleServer();
  const values = {
    model: [{ name: 'gemini-embedding-001', provider: 'Google Generative AI', metadata: {} }],
  };
  const { text } = await embedWith('EmbeddingModel', values, {
    variables: { GOOGLE_GEMINI_BASE_URL: google.url, GOOGLE_API_KEY: 'a-key' },
  });
  expect(text).toEqual([
    [3, 111, 0],
    [3, 116, 0],
    [3, 111, 0],
  ]);
  await google.close();
});
