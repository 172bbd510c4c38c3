import { failureOf, flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';
import { fetchFrom, startFakeService } from '../integrations/http/fake-service.fixture';
import type { FakeService } from '../integrations/http/fake-service.fixture';
import { createAstraHandler } from '../integrations/astra/astra-server.fixture';
import { describeVectorStore, resultsOf } from './vector-store.contract';

const endpoint = 'https://0a2f-us-east-2.apps.astra.datastax.com';
const place = { api_endpoint: endpoint, token: 'AstraCS:good', collection_name: 'pets' };

async function startAstra() {
  const service = await startFakeService(createAstraHandler());
  return { service, fetch: withOthers(service) };
}

/** Reaches the fake database by its name, and other servers (the embedding server) unchanged. */
function withOthers(service: FakeService): typeof fetch {
  const named = fetchFrom({ '0a2f-us-east-2.apps.astra.datastax.com': service });
  return (input, init) =>
    String(input instanceof Request ? input.url : input).startsWith('http://127.')
      ? fetch(input, init)
      : named(input, init);
}

describeVectorStore('Astra DB', {
  type: 'AstraDB',
  mismatch: /Astra DB refused find: Length of vector parameter different/,
  wrongKey: { token: 'AstraCS:bad' },
  embeddingInput: 'embedding_model',
  start: async () => {
    const { service, fetch } = await startAstra();
    return { values: place, fetch, close: () => service.close() };
  },
});

describe('Astra DB that makes the vectors itself', () => {
  let astra: Awaited<ReturnType<typeof startAstra>>;
  beforeEach(async () => {
    astra = await startAstra();
  });
  afterEach(() => astra.service.close());

  const made = {
    embedding_choice: 'Astra Vectorize',
    embedding_provider: 'NVIDIA',
    model: 'NV-Embed-QA',
  };
  const rows = [
    { text: 'the cat sat', kind: 'pet', page: 1 },
    { text: 'the dog ran', kind: 'pet', page: 2 },
    { text: 'a cat again', kind: 'wild', page: 3 },
  ];
  const ingest = (values: Readonly<Record<string, unknown>> = {}, input = 'ingest_data') =>
    runFlow(
      flow(
        [
          node('AstraDB-a', 'AstraDB', { ...place, ...made, ...values }),
          node('CSVtoData-c', 'CSVtoData', {
            csv_string: ['text,kind,page', ...rows.map((row) => Object.values(row).join(','))].join('\n'),
          }),
        ],
        [edge('CSVtoData-c', 'data_list', 'AstraDB-a', input)],
      ),
      { show: 'AstraDB-a', fetch: astra.fetch },
    );
  const search = async (values: Readonly<Record<string, unknown>>) =>
    resultsOf(
      await runFlow(flow([node('AstraDB-a', 'AstraDB', { ...place, ...made, ...values })]), {
        show: 'AstraDB-a',
        fetch: astra.fetch,
      }),
    );
  const texts = async (values: Readonly<Record<string, unknown>>) =>
    (await search(values)).map((found) => found['text']);

  test('stores texts and searches with text', async () => {
    await ingest();
    expect(await search({ search_query: 'dog ran', number_of_results: 1 })).toEqual([
      { kind: 'pet', page: '2', text: 'the dog ran' },
    ]);
    // The field name of versions before 1.2.
    expect(await texts({ search_input: 'dog ran', number_of_results: 1 })).toEqual(['the dog ran']);
  });

  test('supports the field names of the first versions', async () => {
    await ingest({ add_to_vector_store: true }, 'vector_store_inputs');
    expect(await texts({ search_query: 'dog ran', number_of_results: 1 })).toEqual(['the dog ran']);
  });

  test('filters by metadata, with and without a query', async () => {
    await ingest();
    expect(await texts({ search_query: 'cat', advanced_search_filter: { kind: 'wild' } })).toEqual([
      'a cat again',
    ]);
    const either = { $or: [{ kind: 'wild' }, { page: '2' }] };
    expect(await texts({ advanced_search_filter: either })).toEqual(['the dog ran', 'a cat again']);
    expect(await texts({})).toEqual([]);
  });

  test('returns results above a similarity threshold, or with variety', async () => {
    await ingest();
    const near = { search_query: 'the cat sat' };
    expect(
      await texts({ ...near, search_type: 'Similarity with score threshold', search_score_threshold: 0.99 }),
    ).toEqual(['the cat sat']);
    await ingest();
    const two = { search_query: 'the cat sat dog ran', number_of_results: 2 };
    expect(new Set(await texts(two)).size).toBe(1);
    expect(new Set(await texts({ ...two, search_type: 'MMR (Max Marginal Relevance)' })).size).toBe(2);
  });

  test('searches words and vectors in a hybrid search', async () => {
    await ingest({ search_method: 'Hybrid Search' });
    expect(await texts({ search_query: 'sat down', search_method: 'Hybrid Search' })).toEqual([
      'the cat sat',
    ]);
    expect(
      await texts({ search_query: 'sat down', search_method: 'Hybrid Search', lexical_terms: 'dog' }),
    ).toEqual(['the dog ran']);
  });

  test('deletes documents that new texts replace', async () => {
    await ingest();
    await ingest({ deletion_field: 'kind' });
    expect(await texts({ search_query: 'cat', number_of_results: 10 })).toHaveLength(3);
    await ingest();
    expect(await texts({ search_query: 'cat', number_of_results: 10 })).toHaveLength(6);
  });

  test('reports a missing collection', async () => {
    const failure = await failureOf(search({ search_query: 'cat', collection_name: 'nothing' }));
    expect(failure).toContain('Astra DB refused find: Collection does not exist: nothing');
  });

  test('is found by its name', async () => {
    await ingest();
    const list = [{ id: '0a2f', info: { name: 'my database', region: 'us-east-2' } }];
    const asked: string[] = [];
    const devops: typeof fetch = (input, init) => {
      const url = new URL(String(input));
      if (url.host !== 'api.astra.datastax.com') return astra.fetch(input, init);
      asked.push(new Headers(init?.headers).get('authorization') ?? '');
      return Promise.resolve(Response.json(list));
    };
    const run = await runFlow(
      flow([
        node('AstraDB-a', 'AstraDB', {
          ...place,
          ...made,
          api_endpoint: '',
          database_name: 'my database',
          search_query: 'dog',
        }),
      ]),
      { show: 'AstraDB-a', fetch: devops },
    );
    expect(resultsOf(run)[0]).toMatchObject({ text: 'the dog ran' });
    expect(asked).toEqual(['Bearer AstraCS:good']);
  });
});
