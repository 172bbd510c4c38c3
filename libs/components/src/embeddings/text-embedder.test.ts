import { flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';
import { startModelServerUnderTest } from '../integrations/openai/openai-server.fixture';

test('returns the vector of a text, or an error', async () => {
  const server = await startModelServerUnderTest();
  const embed = async (message: string, wired = true) => {
    const document = flow(
      [
        node('OpenAIEmbeddings-e', 'OpenAIEmbeddings', { openai_api_base: server.url, openai_api_key: 'sk' }),
        node('Embedder-x', 'TextEmbedderComponent', { message }),
      ],
      wired ? [edge('OpenAIEmbeddings-e', 'embeddings', 'Embedder-x', 'embedding_model')] : [],
    );
    const { result } = await runFlow(document, { show: 'Embedder-x' });
    return result?.outputs['embeddings']?.message;
  };
  expect(await embed('abc')).toMatchObject({ text: 'abc', embeddings: [3, 97] });
  expect(await embed('')).toMatchObject({ embeddings: [], error: 'No text content found in message' });
  expect(await embed('abc', false)).toMatchObject({ error: 'Invalid or incompatible embedding model' });
  await server.close();
});
