import { failureOf } from '../flow-under-test.fixture';
import { startModelServerUnderTest } from '../language-models/model-server.fixture';
import { describeEmbeddings, embedWith } from './embeddings.contract';

describeEmbeddings('EmbeddingModel', {
  values: (url) => ({
    model: [{ name: 'some-model', provider: 'OpenAI', metadata: {} }],
    api_base: url,
    api_key: 'key-of-a-field',
  }),
});

test('nodes of before 1.7 name provider and model apart', async () => {
  const server = await startModelServerUnderTest();
  const values = { provider: 'Ollama', model: 'nomic', ollama_base_url: server.url.replace('/v1', '') };
  await embedWith('EmbeddingModel', values);
  expect(server.asked[0]).toMatchObject({ path: '/v1/embeddings', body: { model: 'nomic' } });
  await server.close();
});

test('refuses a model that nobody chose, and a provider of another protocol', async () => {
  expect(await failureOf(embedWith('EmbeddingModel', { api_key: 'sk' }))).toContain(
    'An embedding model selection is required',
  );
  expect(await failureOf(embedWith('EmbeddingModel', { provider: 'Elsewhere' }))).toContain('is not one of');
});
