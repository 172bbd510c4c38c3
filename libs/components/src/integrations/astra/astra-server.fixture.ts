import { fakeHandler, violation } from '../http/fake-service.fixture';
import type { FakeAnswer, FakeHandler } from '../http/fake-service.fixture';
import { letterVector } from '../vector-stores/letters-embedding.fixture';
import { cosineSimilarity } from '../vector-stores/maximal-marginal-relevance';

type Document = Record<string, unknown>;
type Filter = Readonly<Record<string, unknown>>;

interface Collection {
  readonly dimension: number;
  /** Astra makes the vectors of `$vectorize`. */
  readonly vectorize: boolean;
  readonly documents: Map<unknown, Document>;
}

const object = { type: 'object' };
const vector = { type: 'array', items: { type: 'number' }, minItems: 1 };
const closed = (properties: object, required: readonly string[] = []) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const projection = { type: 'object', additionalProperties: { type: 'boolean' } };
const findSort = {
  type: 'object',
  maxProperties: 1,
  properties: { $vector: vector, $vectorize: { type: 'string' } },
};
const limit = { type: 'integer', minimum: 1, maximum: 1000 };

const payloads: Readonly<Record<string, object>> = {
  find: closed({
    filter: object,
    sort: findSort,
    projection,
    options: closed({ limit, includeSimilarity: { type: 'boolean' }, pageState: { type: 'string' } }),
  }),
  findAndRerank: closed(
    {
      filter: object,
      projection,
      sort: closed(
        {
          $hybrid: closed({ $vector: vector, $vectorize: { type: 'string' }, $lexical: { type: 'string' } }, [
            '$lexical',
          ]),
        },
        ['$hybrid'],
      ),
      options: closed({ limit, rerankQuery: { type: 'string' }, rerankOn: { type: 'string' } }),
    },
    ['sort'],
  ),
  insertOne: closed({ document: object }, ['document']),
  insertMany: closed(
    {
      documents: { type: 'array', minItems: 1, maxItems: 100, items: object },
      options: closed({ ordered: { type: 'boolean' } }),
    },
    ['documents'],
  ),
  deleteMany: closed({ filter: object }, ['filter']),
  findOneAndReplace: closed(
    { filter: object, replacement: object, options: closed({ upsert: { type: 'boolean' } }) },
    ['filter', 'replacement'],
  ),
  createCollection: closed({ name: { type: 'string' }, options: object }, ['name']),
};

/** A database of Astra's Data API: compares vectors for real, and rejects every command that Astra would reject. */
export function createAstraHandler({ token = 'AstraCS:good' } = {}): FakeHandler {
  const collections = new Map<string, Collection>();
  return fakeHandler(({ path, method, headers, json }) => {
    const [, keyspace, collection = null] = /^\/api\/json\/v1\/([^/]+)(?:\/([^/]+))?$/.exec(path) ?? [];
    if (keyspace === undefined || method !== 'POST') return { status: 404, json: { detail: 'Not Found' } };
    if (headers.token !== token) {
      const errors = [{ message: 'UNAUTHENTICATED: Invalid token', errorCode: 'UNAUTHENTICATED_REQUEST' }];
      return { status: 401, json: { errors } };
    }
    if (keyspace !== 'default_keyspace') return refuse('KEYSPACE_DOES_NOT_EXIST', `The keyspace ${keyspace}`);
    const [[name = '', payload] = []] = Object.entries((json ?? {}) as Record<string, Document>);
    const schema = payloads[name];
    if (schema === undefined) return refuse('COMMAND_UNKNOWN', `Command "${name}" is not recognized`);
    const wrong = violation(schema, payload);
    if (wrong !== null) return refuse('COMMAND_FIELD_INVALID', wrong);
    if (name === 'createCollection') return createCollection(collections, payload ?? {});
    const found = collections.get(collection ?? '');
    if (found === undefined)
      return refuse('COLLECTION_NOT_EXIST', `Collection does not exist: ${collection}`);
    return answer(found, name, payload ?? {});
  });
}

function createCollection(collections: Map<string, Collection>, { name, options }: Document): FakeAnswer {
  const { vector: size } = options as { vector: { dimension?: number; service?: object } };
  if (size.dimension === undefined && size.service === undefined) {
    return refuse('INVALID_CREATE_COLLECTION_OPTIONS', 'dimension or service is required');
  }
  const dimension = size.dimension ?? 26;
  collections.set(String(name), { dimension, vectorize: size.service !== undefined, documents: new Map() });
  return { json: { status: { ok: 1 } } };
}

function answer(collection: Collection, name: string, payload: Document): FakeAnswer {
  const { documents } = collection;
  const filter = (payload['filter'] ?? {}) as Filter;
  if (name === 'insertMany') return insert(collection, payload['documents'] as Document[]);
  if (name === 'insertOne') {
    const document = payload['document'] as Document;
    return insert(collection, [{ _id: `id-${documents.size}`, ...document }]);
  }
  if (name === 'findOneAndReplace') {
    const document = vectorized(collection, payload['replacement'] as Document);
    if (typeof document === 'string') return refuse('INVALID', document);
    documents.set(filter['_id'], document);
    return { json: { data: { document }, status: { matchedCount: 1, modifiedCount: 1 } } };
  }
  if (name === 'deleteMany') {
    const deleted = [...documents].filter(([, document]) => matches(document, filter)).slice(0, 2);
    for (const [id] of deleted) documents.delete(id);
    const moreData = [...documents.values()].some((document) => matches(document, filter));
    return { json: { status: { deletedCount: deleted.length, ...(moreData ? { moreData } : {}) } } };
  }
  return find(collection, name, payload);
}

function insert(collection: Collection, given: readonly Document[]): FakeAnswer {
  const insertedIds: unknown[] = [];
  const errors: object[] = [];
  for (const document of given) {
    const stored = vectorized(collection, document);
    if (typeof stored === 'string') errors.push({ message: stored, errorCode: 'SHRED_BAD_DOCUMENT' });
    else if (collection.documents.has(document['_id'])) {
      errors.push({
        message: 'Document already exists with the given _id',
        errorCode: 'DOCUMENT_ALREADY_EXISTS',
      });
    } else {
      collection.documents.set(document['_id'], stored);
      insertedIds.push(document['_id']);
    }
  }
  return { json: { status: { insertedIds }, ...(errors.length === 0 ? {} : { errors }) } };
}

/** Returns the document with its vector, or an error text. */
function vectorized({ dimension, vectorize }: Collection, document: Document): Document | string {
  const own = document['$vector'] as number[] | undefined;
  if (typeof document['$vectorize'] === 'string') {
    if (!vectorize) return 'Collection is not configured with an embedding service ($vectorize)';
    return { ...document, $vector: letterVector(document['$vectorize']) };
  }
  return own !== undefined && own.length !== dimension
    ? `Length of vector parameter different from declared '$vector' dimension: ${own.length} vs ${dimension}`
    : document;
}

function find(collection: Collection, name: string, payload: Document): FakeAnswer {
  const { limit: most = 20, rerankOn } = (payload['options'] ?? {}) as { limit?: number; rerankOn?: string };
  const sort = (payload['sort'] ?? {}) as { $hybrid?: Document } & Document;
  const near = sort.$hybrid ?? sort;
  if (near['$vectorize'] !== undefined && !collection.vectorize) {
    return refuse('VECTORIZE_NOT_SUPPORTED', 'the collection makes no vectors');
  }
  const wanted =
    (near['$vector'] as number[] | undefined) ??
    (typeof near['$vectorize'] === 'string' ? letterVector(near['$vectorize']) : null);
  if (wanted !== null && wanted.length !== collection.dimension) {
    return refuse(
      'VECTOR_SIZE_MISMATCH',
      `Length of vector parameter different from declared '$vector' dimension`,
    );
  }
  if (
    name === 'findAndRerank' &&
    wanted !== null &&
    near['$vector'] !== undefined &&
    rerankOn === undefined
  ) {
    return refuse('MISSING_RERANK_ON', 'rerankOn is required with $vector');
  }
  const whole = (payload['projection'] as Document | undefined)?.['*'] === true;
  const found = [...collection.documents.values()]
    .filter((document) => matches(document, (payload['filter'] ?? {}) as Filter))
    .filter((document) => name === 'find' || sharesWord(document['$lexical'], near['$lexical']))
    .filter((document) => wanted === null || document['$vector'] !== undefined)
    .map((document): Document => ({ ...document, $similarity: similarity(wanted, document) }))
    .sort((a, b) => Number(b['$similarity']) - Number(a['$similarity']))
    .slice(0, most)
    .map((document) =>
      whole ? document : Object.fromEntries(Object.entries(document).filter(([key]) => !key.startsWith('$'))),
    );
  return { json: { data: { documents: found, nextPageState: null } } };
}

function similarity(wanted: readonly number[] | null, document: Document): number {
  return wanted === null ? 0 : (1 + cosineSimilarity(wanted, document['$vector'] as number[])) / 2;
}

function sharesWord(stored: unknown, asked: unknown): boolean {
  const words = new Set(String(stored ?? '').split(' '));
  return String(asked)
    .split(' ')
    .some((word) => words.has(word));
}

function matches(document: Document, filter: Filter): boolean {
  return Object.entries(filter).every(([path, wanted]) => {
    if (path === '$and') return (wanted as Filter[]).every((one) => matches(document, one));
    if (path === '$or') return (wanted as Filter[]).some((one) => matches(document, one));
    const value = path
      .split('.')
      .reduce<unknown>((found, name) => (found as Document | undefined)?.[name], document);
    if (typeof wanted !== 'object' || wanted === null) return value === wanted;
    return Object.entries(wanted).every(([operator, operand]) => compare(operator, value, operand));
  });
}

function compare(operator: string, value: unknown, operand: unknown): boolean {
  switch (operator) {
    case '$eq':
      return value === operand;
    case '$gt':
      return Number(value) > Number(operand);
    case '$in':
      return (operand as unknown[]).includes(value);
    case '$exists':
      return (value !== undefined) === operand;
    default:
      return false;
  }
}

function refuse(errorCode: string, message: string): FakeAnswer {
  return { json: { errors: [{ message, errorCode, family: 'REQUEST' }] } };
}
