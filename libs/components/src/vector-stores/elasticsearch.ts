import { boolean, ComponentError, dropdown, float, isDict, secret, text } from '@millrace/flow';
import type { ComponentContext, InputValues } from '@millrace/flow';
import { member, textMember } from '../integrations/http/json-members';
import { serviceAddress } from '../integrations/http/service-address';
import { basicAuthorization, ElasticIndex } from '../integrations/elastic/elastic-index';
import { numberList, numberOf } from '../integrations/vector-stores/number-list';
import type { StoredText, StoreSearch, VectorStore } from '../integrations/vector-stores/vector-store';
import { defineVectorStore } from './definition/define-vector-store';

const service = 'Elasticsearch';
const candidates = 50;

const inputs = {
  elasticsearch_url: text({
    displayName: 'Elasticsearch URL',
    plain: true,
    default: 'http://localhost:9200',
  }),
  cloud_id: secret({ displayName: 'Elastic Cloud ID' }),
  index_name: text({ displayName: 'Index Name', plain: true, default: 'langflow' }),
  username: text({ displayName: 'Username', plain: true }),
  password: secret({ displayName: 'Elasticsearch Password' }),
  search_type: dropdown({
    displayName: 'Search Type',
    options: ['similarity', 'mmr'],
    default: 'similarity',
    advanced: true,
  }),
  search_score_threshold: float({ displayName: 'Search Score Threshold', default: 0, advanced: true }),
  api_key: secret({ displayName: 'Elastic API Key', advanced: true }),
  verify_certs: boolean({ displayName: 'Verify SSL Certificates', default: true, advanced: true }),
};

type Values = InputValues<typeof inputs>;

export default defineVectorStore({
  type: 'Elasticsearch',
  aliases: ['ElasticsearchVectorStoreComponent'],
  displayName: service,
  description: 'Stores texts in an index of Elasticsearch and searches it.',
  inputs,
  open: (values, context) => new ElasticsearchStore(values, context),
});

/** Documents have the fields of LangChain: `text`, `metadata` and `vector`. */
class ElasticsearchStore implements VectorStore {
  readonly makesVectors = false;
  readonly #index: ElasticIndex;
  readonly #threshold: number;

  constructor(values: Values, context: ComponentContext) {
    const { api_key, username, password, cloud_id } = values;
    const authorization =
      api_key !== ''
        ? `ApiKey ${api_key.trim()}`
        : username !== '' && password !== ''
          ? basicAuthorization(username, password)
          : '';
    const address = {
      service,
      baseUrl: addressOf(values),
      index: values.index_name,
      headers: authorization === '' ? {} : { authorization },
      secrets: [api_key, password, cloud_id],
    };
    this.#index = new ElasticIndex(address, context);
    this.#threshold = values.search_score_threshold;
  }

  async add(texts: readonly StoredText[]): Promise<void> {
    await this.#index.create({
      mappings: {
        properties: {
          text: { type: 'text' },
          metadata: { type: 'object' },
          vector: {
            type: 'dense_vector',
            dims: texts[0]?.vector?.length ?? 0,
            index: true,
            similarity: 'cosine',
          },
        },
      },
    });
    await this.#index.write(
      texts.map(({ id, text: content, metadata, vector }) => ({
        id,
        source: { text: content, metadata, vector },
      })),
    );
  }

  async search({ vector, limit, withVectors }: StoreSearch): ReturnType<VectorStore['search']> {
    const hits = await this.#index.search({
      knn: { field: 'vector', query_vector: vector, k: limit, num_candidates: Math.max(candidates, limit) },
      size: limit,
      _source: withVectors ? ['text', 'metadata', 'vector'] : ['text', 'metadata'],
    });
    return hits
      .map((hit) => {
        const metadata = member(hit, '_source', 'metadata');
        return {
          text: textMember(hit, '_source', 'text'),
          metadata: isDict(metadata) ? metadata : {},
          similarity: numberOf(hit['_score'] ?? null),
          vector: numberList(member(hit, '_source', 'vector')),
        };
      })
      .filter(({ similarity }) => (similarity ?? 1) >= this.#threshold);
  }
}

function addressOf({ cloud_id, elasticsearch_url }: Values): string {
  if (cloud_id === '') return serviceAddress(elasticsearch_url, service);
  if (elasticsearch_url !== '' && elasticsearch_url !== inputs.elasticsearch_url.default) {
    throw new ComponentError(
      "Both 'cloud_id' and 'elasticsearch_url' provided. Please use only one based on your deployment (Cloud or Local).",
    );
  }
  // name:base64(domain$id of Elasticsearch$id of Kibana)
  const encoded = cloud_id.trim().split(':').at(-1) ?? '';
  const [domain = '', id = ''] = Buffer.from(encoded, 'base64').toString('utf8').split('$');
  if (!/^[\w.-]+(?::\d+)?$/.test(domain) || !/^[\w-]+$/.test(id)) {
    throw new ComponentError('The Elastic Cloud ID is not valid.');
  }
  return serviceAddress(`https://${id}.${domain}`, service);
}
