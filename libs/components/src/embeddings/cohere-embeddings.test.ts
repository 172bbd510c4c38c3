import { failureOf } from '../testing/flow-under-test.fixture';
import { fetchFrom, serviceForEachTest } from '../integrations/http/fake-service.fixture';
import { startCohereServer } from '../integrations/models/embedding-services.fixture';
import { embedWith } from './embeddings.contract';

const service = serviceForEachTest(startCohereServer);

const embed = (values: Readonly<Record<string, unknown>>, purpose?: string) =>
  embedWith('CohereEmbeddings', values, { fetch: fetchFrom({ 'api.cohere.com': service }) }, purpose);

test('requests vectors for documents and for queries', async () => {
  const { text } = await embed({ api_key: 'a-key' });
  expect(text).toEqual([
    [3, 111, 0],
    [3, 116, 0],
    [3, 111, 0],
  ]);
  expect((await embed({ api_key: 'a-key' }, 'query')).text).toEqual([
    [3, 111, 1],
    [3, 116, 1],
    [3, 111, 1],
  ]);
});

test('reads the fields of older nodes', async () => {
  const values = { api_key: '', cohere_api_key: 'old', model_name: '', model: 'embed-english-v2.0' };
  await embed({ ...values, truncate: 'end' });
  expect(service.asked[0]).toMatchObject({
    headers: { authorization: 'Bearer old' },
    json: { model: 'embed-english-v2.0', truncate: 'END' },
  });
});

test('reports the error of Cohere', async () => {
  expect(await failureOf(embed({ api_key: 'wrong' }))).toContain(
    "Error code: 401 - {'message': 'invalid api token'}",
  );
});
