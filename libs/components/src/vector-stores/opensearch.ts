import { boolean, ComponentError, dropdown, integer, isDict, secret, table, text } from '@millrace/flow';
import type { ComponentContext, InputValues } from '@millrace/flow';
import { parsePythonJson } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { basicAuthorization, ElasticIndex } from '../integrations/elastic/elastic-index';
import { serviceAddress } from '../integrations/http/service-address';
import { numberList, numberOf } from '../integrations/vector-stores/number-list';
import type { StoredText, StoreSearch, VectorStore } from '../integrations/vector-stores/vector-store';
import { defineVectorStore } from './definition/define-vector-store';
import { filterClauses } from './searching/opensearch-filter';

const service = 'OpenSearch';
/** The number of nearest vectors that Langflow combines with the texts that contain the words of the query. */
const nearest = 10;

const inputs = {
  docs_metadata: table({ displayName: 'Document Metadata', default: [], advanced: true }),
  opensearch_url: text({ displayName: 'OpenSearch URL', plain: true, default: 'http://localhost:9200' }),
  index_name: text({ displayName: 'Index Name', plain: true, default: 'langflow' }),
  engine: dropdown({
    displayName: 'Vector Engine',
    options: ['jvector', 'nmslib', 'faiss', 'lucene'],
    default: 'jvector',
    advanced: true,
  }),
  space_type: dropdown({
    displayName: 'Distance Metric',
    options: ['l2', 'l1', 'cosinesimil', 'linf', 'innerproduct'],
    default: 'l2',
    advanced: true,
  }),
  ef_construction: integer({ displayName: 'EF Construction', default: 512, advanced: true }),
  m: integer({ displayName: 'M Parameter', default: 16, advanced: true }),
  vector_field: text({
    displayName: 'Vector Field Name',
    plain: true,
    default: 'chunk_embedding',
    advanced: true,
  }),
  filter_expression: text({ displayName: 'Search Filters (JSON)', multiline: true }),
  auth_mode: dropdown({
    displayName: 'Authentication Mode',
    options: ['basic', 'jwt'],
    default: 'basic',
  }),
  username: text({ displayName: 'Username', plain: true, default: 'admin' }),
  password: secret({ displayName: 'OpenSearch Password', default: 'admin' }),
  jwt_token: secret({ displayName: 'JWT Token' }),
  jwt_header: text({
    displayName: 'JWT Header Name',
    plain: true,
    default: 'Authorization',
    advanced: true,
  }),
  bearer_prefix: boolean({ displayName: "Prefix 'Bearer '", default: true, advanced: true }),
  use_ssl: boolean({ displayName: 'Use SSL/TLS', default: true, advanced: true }),
  verify_certs: boolean({ displayName: 'Verify SSL Certificates', advanced: true }),
};

type Values = InputValues<typeof inputs>;

export default defineVectorStore({
  type: 'OpenSearchVectorStoreComponent',
  displayName: service,
  description: 'Stores texts in an index of OpenSearch and searches it by vectors and words.',
  inputs,
  defaultResults: 10,
  open: (values, context) => new OpenSearchStore(values, context),
});

/** Documents have the text under `text`, the vector under the field of the node, and each metadata value as a field. */
class OpenSearchStore implements VectorStore {
  readonly makesVectors = false;
  readonly #values: Values;
  readonly #index: ElasticIndex;

  constructor(values: Values, context: ComponentContext) {
    this.#values = values;
    this.#index = new ElasticIndex(
      {
        service,
        baseUrl: serviceAddress(values.opensearch_url, service),
        index: values.index_name,
        headers: authorizationOf(values),
        secrets: [values.password, values.jwt_token].filter((key) => key !== 'admin'),
      },
      context,
    );
  }

  async add(texts: readonly StoredText[]): Promise<void> {
    const { vector_field, engine, space_type, ef_construction, m } = this.#values;
    await this.#index.create({
      settings: { index: { knn: true, 'knn.algo_param.ef_search': 512 } },
      mappings: {
        properties: {
          [vector_field]: {
            type: 'knn_vector',
            dimension: texts[0]?.vector?.length ?? 0,
            method: {
              name: engine === 'jvector' ? 'disk_ann' : 'hnsw',
              space_type,
              engine,
              parameters: { ef_construction, m },
            },
          },
        },
      },
    });
    const added = Object.fromEntries(
      this.#values.docs_metadata.flatMap(({ key, value }): readonly (readonly [string, PythonValue])[] =>
        typeof key === 'string' && value !== undefined ? [[key, value]] : [],
      ),
    );
    await this.#index.write(
      texts.map(({ id, text: content, metadata, vector }) => ({
        id,
        source: { ...metadata, ...added, [vector_field]: vector, text: content },
      })),
    );
  }

  async search({ text: query, vector, limit, withVectors }: StoreSearch): ReturnType<VectorStore['search']> {
    const { vector_field } = this.#values;
    const filter = readFilter(this.#values.filter_expression);
    const clauses = filterClauses(filter);
    const threshold = numberOf(filter['score_threshold'] ?? null) ?? 0;
    const size = numberOf(filter['limit'] ?? null) ?? limit;
    const words = { query, fields: ['text^2', 'filename^1.5'], type: 'best_fields', fuzziness: 'AUTO' };
    const hits = await this.#index.search({
      query: {
        bool: {
          should: [
            { knn: { [vector_field]: { vector, k: Math.max(nearest, size), boost: 0.7 } } },
            { multi_match: { ...words, boost: 0.3 } },
          ],
          minimum_should_match: 1,
          ...(clauses.length === 0 ? {} : { filter: clauses }),
        },
      },
      ...(withVectors ? {} : { _source: { excludes: [vector_field] } }),
      size,
      ...(threshold > 0 ? { min_score: threshold } : {}),
    });
    return hits.map((hit) => {
      const source = hit['_source'] ?? null;
      const { text: content = '', [vector_field]: found = null, ...metadata } = isDict(source) ? source : {};
      return {
        text: typeof content === 'string' ? content : '',
        metadata,
        // The score of words has no upper bound.
        similarity: null,
        vector: numberList(found),
      };
    });
  }
}

function authorizationOf(values: Values): Readonly<Record<string, string>> {
  if (values.auth_mode.trim().toLowerCase() === 'jwt') {
    const token = values.jwt_token.trim();
    if (token === '') throw new ComponentError("Auth Mode is 'jwt' but no jwt_token was provided.");
    const name = values.jwt_header.trim();
    if (!/^[A-Za-z0-9-]+$/.test(name)) throw new ComponentError(`"${name}" is not the name of a header.`);
    return { [name]: values.bearer_prefix ? `Bearer ${token}` : token };
  }
  const username = values.username.trim();
  const password = values.password.trim();
  if (username === '' || password === '') {
    throw new ComponentError("Auth Mode is 'basic' but username/password are missing.");
  }
  return { authorization: basicAuthorization(username, password) };
}

function readFilter(expression: string): PythonObject {
  if (expression.trim() === '') return {};
  try {
    const value = parsePythonJson(expression);
    if (isDict(value)) return value;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ComponentError(`Invalid filter_expression JSON: ${reason}`, error);
  }
  throw new ComponentError('Invalid filter_expression JSON: it must be an object.');
}
