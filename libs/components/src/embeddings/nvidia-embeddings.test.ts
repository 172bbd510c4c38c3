import { startModelServerUnderTest } from '../integrations/openai/openai-server.fixture';
import { describeEmbeddings, embedWith } from './embeddings.contract';

const values = (url: string) => ({ model: 'some-model', base_url: url, nvidia_api_key: 'key-of-a-field' });

describeEmbeddings('NVIDIAEmbeddingsComponent', { values });

test('sends the purpose of texts', async () => {
  const server = await startModelServerUnderTest();
  await embedWith('NVIDIAEmbeddingsComponent', values(server.url));
  await embedWith('NVIDIAEmbeddingsComponent', values(server.url), {}, 'query');
  expect(server.requests.map(({ body }) => body['input_type'])).toEqual(['passage', 'query']);
  await server.close();
});
