import { failureOf, flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';
import { serviceForAllTests, startFakeService } from '../integrations/http/fake-service.fixture';
import { createLettersHandler } from '../integrations/vector-stores/letters-embedding.fixture';
import { resourcesWithVectors } from '../testing/local-vectors.fixture';

let resources = resourcesWithVectors();
const letters = serviceForAllTests(() => startFakeService(createLettersHandler()));
beforeEach(() => {
  resources = resourcesWithVectors();
});

const csv_string = 'text,author\nthe cat sat,Ann\na hydrogen bomb,Bob';

async function run(
  type: string,
  values: Readonly<Record<string, unknown>>,
  output: string,
  given: string | null,
): Promise<Record<string, unknown> & Record<string, unknown>[]> {
  const nodes = [
    node('Knowledge-k', type, { knowledge_base: 'library', ...values }),
    ...(given === null
      ? []
      : [
          node('CSVtoData-c', 'CSVtoData', { csv_string: given }),
          node('DataToDataFrame-d', 'DataToDataFrame'),
        ]),
  ];
  const wires =
    given === null
      ? []
      : [
          edge('CSVtoData-c', 'data_list', 'DataToDataFrame-d', 'data_list'),
          edge('DataToDataFrame-d', 'dataframe', 'Knowledge-k', 'input_df'),
        ];
  const { result } = await runFlow(flow(nodes, wires), {
    show: 'Knowledge-k',
    resources,
    variables: {
      OPENAI_API_KEY: 'embedding-key',
      OPENAI_BASE_URL: `${letters.url}/v1`,
      KNOWLEDGE_EMBEDDING_MODEL: 'letters',
    },
  });
  return result?.outputs[output]?.message as Record<string, unknown> & Record<string, unknown>[];
}

const ingest = (values = {}) =>
  run('Knowledge', { mode: 'Ingest', ...values }, 'dataframe_output', csv_string);
const retrieve = (values = {}) => run('Knowledge', { mode: 'Retrieve', ...values }, 'retrieve_data', null);

test('stores rows and finds them, nearest first', async () => {
  expect(await ingest()).toMatchObject({ kb_name: 'library', rows: 2, config_columns: 1 });
  const [first, ...others] = await retrieve({ search_query: 'bomb hydrogen a', top_k: 1 });
  expect(others).toEqual([]);
  expect(first).toMatchObject({ content: 'a hydrogen bomb', author: 'Bob' });
  expect(first?.['_score']).toBeCloseTo(0);
  expect(first?.['_id']).toMatch(/^[0-9a-f]{64}$/);
  const bare = await retrieve({
    search_query: 'cat',
    include_metadata: false,
    include_embeddings: true,
    top_k: 1,
  });
  expect(Object.keys(bare[0] ?? {})).toEqual(['content', '_score', '_embeddings']);
});

test('reads the mode that older releases saved with an icon', async () => {
  await ingest();
  expect(await retrieve({ mode: '🔍 Retrieve', search_query: 'bomb', top_k: 1 })).toHaveLength(1);
});

test('without a query lists all rows, without scores', async () => {
  await ingest();
  expect((await retrieve()).map((row) => [row['content'], row['_score']])).toEqual([
    ['the cat sat', undefined],
    ['a hydrogen bomb', undefined],
  ]);
});

test('stores a row once unless duplicates are allowed', async () => {
  await ingest();
  await ingest();
  expect(await retrieve()).toHaveLength(2);
  await ingest({ allow_duplicates: true });
  expect(await retrieve()).toHaveLength(4);
});

test('filters sources by their metadata', async () => {
  await ingest({ metadata_json: '{"team": ["a", "b"], "year": 2024}' });
  expect(
    await retrieve({ search_query: 'cat', metadata_filter: '{"team": ["b", "c"], "year": 2024}' }),
  ).toHaveLength(2);
  expect(await retrieve({ search_query: 'cat', metadata_filter: '{"team": "c"}' })).toEqual([]);
});

test('the components of earlier versions either store or search', async () => {
  await run('KnowledgeIngestion', {}, 'dataframe_output', csv_string);
  expect(
    await run('KnowledgeRetrieval', { search_query: 'cat', top_k: 1 }, 'chroma_kb_data', null),
  ).toMatchObject([{ content: 'the cat sat' }]);
});

test('reports a missing column and a missing knowledge base', async () => {
  const column_config = [{ column_name: 'body', vectorize: true, identifier: true }];
  expect(await failureOf(ingest({ column_config }))).toContain("Column 'body' not found in DataFrame.");
  expect(await failureOf(retrieve({ knowledge_base: '' }))).toContain(
    'Metadata not found for knowledge base: . Ensure it has been indexed.',
  );
});

test('embeds with the model that the user chose for the base', async () => {
  resources = resourcesWithVectors({ 'knowledge:library': { provider: 'openai', model: 'few-letters' } });
  await ingest();
  await retrieve({ search_query: 'cat' });
  const models = letters.asked.slice(-2).map(({ json }) => (json as { model: string }).model);
  expect(models).toEqual(['few-letters', 'few-letters']);
  resources = resourcesWithVectors({
    'knowledge:library': { provider: 'Unknown Inc', model: 'few-letters' },
  });
  await expect(ingest()).rejects.toThrow('The provider "Unknown Inc" of the knowledge base is not one of: ');
});
