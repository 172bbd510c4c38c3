import { failureOf, flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';
import type { RunUnderTest } from '../testing/flow-under-test.fixture';
import { startModelServerUnderTest } from '../integrations/openai/openai-server.fixture';
import type { ModelServerUnderTest } from '../integrations/openai/openai-server.fixture';

let server: ModelServerUnderTest;
beforeAll(async () => {
  server = await startModelServerUnderTest();
});
afterAll(() => server.close());

/** The server's vectors contain the length of a text and its first letter. */
const compare = (
  texts: readonly string[],
  values: Readonly<Record<string, unknown>> = {},
): Promise<RunUnderTest> => {
  const ids = texts.map((_, index) => `Embedder-${index}`);
  const document = flow(
    [
      node('OpenAIEmbeddings-e', 'OpenAIEmbeddings', { openai_api_base: server.url, openai_api_key: 'sk' }),
      ...texts.map((message, index) => node(`Embedder-${index}`, 'TextEmbedderComponent', { message })),
      node('Similarity-s', 'EmbeddingSimilarityComponent', values),
    ],
    [
      ...ids.map((id) => edge('OpenAIEmbeddings-e', 'embeddings', id, 'embedding_model')),
      ...ids.map((id) => edge(id, 'embeddings', 'Similarity-s', 'embedding_vectors')),
    ],
  );
  return runFlow(document, { show: 'Similarity-s' });
};

test.each([
  [{}, ['a', 'a'], { cosine_similarity: 1 }],
  [{ similarity_metric: 'Euclidean Distance' }, ['a', 'aaaaa'], { euclidean_distance: 4 }],
  [{ similarity_metric: 'Manhattan Distance' }, ['a', 'dd'], { manhattan_distance: 4 }],
])('compares with %j', async (values, texts, score) => {
  const { result } = await compare(texts, values);
  const given = result?.outputs['similarity_data']?.message as { similarity_score: Record<string, number> };
  const [[name, value] = ['', 0]] = Object.entries(given.similarity_score);
  const [[wantedName, wanted] = ['', 0]] = Object.entries(score);
  expect(name).toBe(wantedName);
  expect(value).toBeCloseTo(wanted);
});

test('compares exactly two vectors', async () => {
  expect(await failureOf(compare(['a']))).toContain('Exactly two embedding vectors are required.');
  const { result } = await compare(['a', '']);
  expect(result?.outputs['similarity_data']?.message).toMatchObject({
    similarity_score: { error: 'Embeddings must have the same dimensions.' },
  });
});
