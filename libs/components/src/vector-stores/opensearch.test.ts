import { createElasticFake } from '../integrations/elastic/elastic-server.fixture';
import { startFakeService } from '../integrations/http/fake-service.fixture';
import type { FakeService } from '../integrations/http/fake-service.fixture';
import { closedSchema, vectorSchema } from '../integrations/vector-stores/fake-vector-index.fixture';
import { createLettersHandler } from '../integrations/vector-stores/letters-embedding.fixture';
import { edge, failureOf, flow, node, runFlow } from '../testing/flow-under-test.fixture';
import { describeVectorStore } from './vector-store.contract';

const positive = { type: 'integer', minimum: 1 };
const clause = { type: 'object', minProperties: 1, maxProperties: 1 };

interface Definition {
  readonly mappings: { readonly properties: Readonly<Record<string, { readonly dimension: number }>> };
}
interface Search {
  readonly query: {
    readonly bool: {
      readonly should: readonly [
        { readonly knn: Readonly<Record<string, { readonly vector: readonly number[] }>> },
      ];
    };
  };
  readonly size: number;
  readonly min_score?: number;
}

const createOpenSearchHandler = (authorization: string) =>
  createElasticFake({
    authorization,
    indexSchema: closedSchema(
      {
        settings: closedSchema({
          index: closedSchema({ knn: { const: true }, 'knn.algo_param.ef_search': positive }),
        }),
        mappings: closedSchema({
          properties: {
            type: 'object',
            additionalProperties: closedSchema(
              {
                type: { const: 'knn_vector' },
                dimension: positive,
                method: closedSchema({
                  name: { enum: ['disk_ann', 'hnsw'] },
                  space_type: { enum: ['l2', 'l1', 'cosinesimil', 'linf', 'innerproduct'] },
                  engine: { enum: ['jvector', 'nmslib', 'faiss', 'lucene'] },
                  parameters: closedSchema({ ef_construction: positive, m: positive }),
                }),
              },
              ['type', 'dimension', 'method'],
            ),
          },
        }),
      },
      ['settings', 'mappings'],
    ),
    searchSchema: closedSchema(
      {
        query: closedSchema(
          {
            bool: closedSchema({
              should: {
                type: 'array',
                items: [
                  closedSchema({
                    knn: {
                      type: 'object',
                      additionalProperties: closedSchema(
                        { vector: vectorSchema, k: positive, boost: { type: 'number' } },
                        ['vector', 'k'],
                      ),
                    },
                  }),
                  closedSchema({
                    multi_match: closedSchema(
                      {
                        query: { type: 'string' },
                        fields: { type: 'array', items: { type: 'string' } },
                        type: { const: 'best_fields' },
                        fuzziness: { const: 'AUTO' },
                        boost: { type: 'number' },
                      },
                      ['query', 'fields'],
                    ),
                  }),
                ],
              },
              minimum_should_match: positive,
              filter: { type: 'array', minItems: 1, items: clause },
            }),
          },
          ['bool'],
        ),
        _source: closedSchema({ excludes: { type: 'array', items: { type: 'string' } } }),
        size: positive,
        min_score: { type: 'number', exclusiveMinimum: 0 },
      },
      ['query'],
    ),
    vectorField: ({ mappings }: Definition) => {
      const [[field, { dimension }] = ['', { dimension: 0 }]] = Object.entries(mappings.properties);
      return [field, dimension];
    },
    searched: ({ query, size, min_score }: Search) => {
      const [field] = Object.values(query.bool.should[0].knn);
      return {
        vector: field?.vector ?? [],
        size,
        ...(min_score === undefined ? {} : { minimum: min_score }),
      };
    },
  });

describeVectorStore('OpenSearch', {
  type: 'OpenSearchVectorStoreComponent',
  mismatch: /OpenSearch answered with status 400.*different dimension \[8\] than the index vectors \[26\]/,
  wrongKey: { password: 'wrong-password' },
  start: async () => {
    const basic = Buffer.from('admin:right').toString('base64');
    const service = await startFakeService(createOpenSearchHandler(`Basic ${basic}`));
    return { values: { opensearch_url: service.url, password: 'right' }, close: () => service.close() };
  },
});

describe('searches', () => {
  let service: FakeService;
  let letters: FakeService;
  beforeAll(async () => {
    service = await startFakeService(createOpenSearchHandler('a-token'));
    letters = await startFakeService(createLettersHandler());
  });
  afterAll(() => Promise.all([service.close(), letters.close()]));

  const jwt = { auth_mode: 'jwt', jwt_token: 'a-token', bearer_prefix: false };
  const search = (values: Readonly<Record<string, unknown>>) =>
    runFlow(
      flow(
        [
          node('Embeddings-e', 'OpenAIEmbeddings', {
            model: 'letters',
            openai_api_base: `${letters.url}/v1`,
            openai_api_key: 'embedding-key',
          }),
          node('CreateData-d', 'TextInput', { input_value: 'a text' }),
          node('Data-d', 'MessagetoData', {}),
          node('Store-s', 'OpenSearchVectorStoreComponent', {
            opensearch_url: service.url,
            engine: 'faiss',
            docs_metadata: [{ key: 'owner', value: 'me' }],
            search_query: 'text',
            ...jwt,
            ...values,
          }),
        ],
        [
          edge('Embeddings-e', 'embeddings', 'Store-s', 'embedding'),
          edge('CreateData-d', 'text', 'Data-d', 'message'),
          edge('Data-d', 'data', 'Store-s', 'ingest_data'),
        ],
      ),
      { show: 'Store-s' },
    );

  test.each<[string, object]>([
    ['', {}],
    ['{"owners": ["me"], "limit": 3}', { filter: [{ term: { owner: 'me' } }] }],
    ['{"kinds": ["a", "b"], "x": 1}', { filter: [{ terms: { kinds: ['a', 'b'] } }] }],
    ['{"data_sources": []}', { filter: [{ term: { filename: '__IMPOSSIBLE_VALUE__' } }] }],
    ['{"data_sources": ["__IMPOSSIBLE_VALUE__"]}', {}],
    [
      '{"filter": [{"term": {"a": "b"}}, {"terms": {"c": []}}, {"range": {}}]}',
      { filter: [{ term: { a: 'b' } }] },
    ],
  ])('sends the filters %s', async (filter_expression, expected) => {
    await search({ filter_expression });
    const { query, size } = service.asked.at(-1)?.json as {
      readonly query: { readonly bool: { readonly filter?: unknown } };
      readonly size: number;
    };
    expect(query.bool.filter === undefined ? {} : { filter: query.bool.filter }).toEqual(expected);
    expect(size).toBe(filter_expression.includes('limit') ? 3 : 10);
  });

  test('stores the metadata of the node with each text', async () => {
    const { result } = await search({ filter_expression: '{"score_threshold": 0.1}' });
    expect(JSON.stringify(result?.outputs)).toContain('"owner":"me"');
  });

  test.each([
    [{ jwt_token: '' }, "Auth Mode is 'jwt' but no jwt_token was provided."],
    [{ auth_mode: 'basic', username: ' ' }, "Auth Mode is 'basic' but username/password are missing."],
    [{ jwt_header: 'A: b' }, '"A: b" is not the name of a header.'],
    [{ filter_expression: '{' }, 'Invalid filter_expression JSON'],
    [{ filter_expression: '[]' }, 'Invalid filter_expression JSON: it must be an object.'],
    [{ index_name: 'Upper' }, 'must be lowercase'],
  ])('%j is an error', async (values, message) => {
    expect(await failureOf(search(values))).toContain(message);
  });
});
