import { startGoogleServer } from '../integrations/google/google-server.fixture';
import { embedWith } from './embeddings.contract';

test('requests vectors with 768 dimensions and sends their purpose', async () => {
  const service = await startGoogleServer();
  const options = { variables: { GOOGLE_GEMINI_BASE_URL: service.url } };
  const { text } = await embedWith('Google Generative AI Embeddings', { api_key: 'a-key' }, options);
  const vectors = text as readonly (readonly number[])[];
  expect(vectors.map((vector) => [vector.length, ...vector.slice(0, 3)])).toEqual([
    [768, 3, 111, 0],
    [768, 3, 116, 0],
    [768, 3, 111, 0],
  ]);
  const asked = await embedWith('GoogleGenerativeAIEmbeddings', { api_key: 'a-key' }, options, 'query');
  expect((asked.text as readonly (readonly number[])[])[0]?.slice(0, 3)).toEqual([3, 111, 1]);
  expect(service.asked[0]).toMatchObject({
    path: '/v1beta/models/text-embedding-004:batchEmbedContents',
    headers: { 'x-goog-api-key': 'a-key' },
    json: { requests: [{ model: 'models/text-embedding-004' }, {}, {}] },
  });
  await service.close();
});
