import { createElasticFake } from '../integrations/elastic/elastic-server.fixture';
import { startFakeService } from '../integrations/http/fake-service.fixture';
import { closedSchema, vectorSchema } from '../integrations/vector-stores/fake-vector-index.fixture';
import { failureOf, flow, node, runFlow } from '../testing/flow-under-test.fixture';
import { describeVectorStore } from './vector-store.contract';

const positive = { type: 'integer', minimum: 1 };

const createElasticsearchHandler = (authorization: string) =>
  createElasticFake({
    authorization,
    indexSchema: closedSchema(
      {
        mappings: closedSchema(
          {
            properties: closedSchema(
              {
                text: closedSchema({ type: { const: 'text' } }),
                metadata: closedSchema({ type: { const: 'object' } }),
                vector: closedSchema(
                  {
                    type: { const: 'dense_vector' },
                    dims: { ...positive, maximum: 4096 },
                    index: { type: 'boolean' },
                    similarity: { enum: ['cosine', 'l2_norm', 'dot_product'] },
                  },
                  ['type', 'dims'],
                ),
              },
              ['vector'],
            ),
          },
          ['properties'],
        ),
      },
      ['mappings'],
    ),
    searchSchema: closedSchema(
      {
        knn: closedSchema(
          { field: { const: 'vector' }, query_vector: vectorSchema, k: positive, num_candidates: positive },
          ['field', 'query_vector', 'k', 'num_candidates'],
        ),
        size: positive,
        _source: { type: 'array', items: { type: 'string' } },
      },
      ['knn'],
    ),
    vectorField: ({
      mappings,
    }: {
      readonly mappings: { readonly properties: { readonly vector: { readonly dims: number } } };
    }) => ['vector', mappings.properties.vector.dims],
    searched: ({
      knn,
      size,
    }: {
      readonly knn: { readonly query_vector: readonly number[] };
      readonly size: number;
    }) => ({ vector: knn.query_vector, size }),
  });

describeVectorStore('Elasticsearch', {
  type: 'Elasticsearch',
  mismatch: /Elasticsearch answered with status 400.*different dimension \[8\] than the index vectors \[26\]/,
  wrongKey: { api_key: 'es-bad' },
  start: async () => {
    const service = await startFakeService(createElasticsearchHandler('ApiKey es-good'));
    const values = { index_name: 'pets', elasticsearch_url: service.url, api_key: 'es-good' };
    return { values, close: () => service.close() };
  },
});

describeVectorStore('Elasticsearch with a password', {
  type: 'Elasticsearch',
  mismatch: /different dimension \[8\]/,
  wrongKey: { password: 'wrong-password' },
  start: async () => {
    const basic = Buffer.from('elastic:right').toString('base64');
    const service = await startFakeService(createElasticsearchHandler(`Basic ${basic}`));
    const sign = { username: 'elastic', password: 'right', search_type: 'mmr' };
    return { values: { elasticsearch_url: service.url, ...sign }, close: () => service.close() };
  },
});

const cloud = `mill:${Buffer.from('europe.elastic.test$abc123$kibana').toString('base64')}`;

test('calls the address in an Elastic Cloud ID', async () => {
  const called: string[] = [];
  const refuseAll: typeof fetch = (url) => {
    called.push(url instanceof Request ? url.url : url.toString());
    return Promise.resolve(new Response('{"error":"no"}', { status: 403 }));
  };
  const store = (values: Readonly<Record<string, unknown>>) =>
    failureOf(
      runFlow(
        flow([
          node('Embeddings-e', 'OpenAIEmbeddings', { openai_api_key: 'k' }),
          node('Store-s', 'Elasticsearch', { search_query: 'q', ...values }),
        ]),
        { show: 'Store-s', fetch: refuseAll },
      ),
    );
  expect(await store({ cloud_id: 'mill:???' })).toContain('The Elastic Cloud ID is not valid.');
  expect(await store({ cloud_id: cloud, elasticsearch_url: 'http://other:9200' })).toContain(
    "Both 'cloud_id' and 'elasticsearch_url' provided.",
  );
  expect(await store({ cloud_id: cloud })).toContain('An embedding model is required');
});
