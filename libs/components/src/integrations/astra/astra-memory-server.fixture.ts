import { fakeHandler, violation } from '../http/fake-service.fixture';
import type { FakeAnswer, FakeHandler } from '../http/fake-service.fixture';

const closed = (properties: object, required: readonly string[] = []): object => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const payloads: Readonly<Record<string, object>> = {
  find: closed({
    filter: { type: 'object' },
    projection: { type: 'object', additionalProperties: { type: 'boolean' } },
    options: closed({ limit: { type: 'integer', minimum: 1 }, pageState: { type: 'string' } }),
  }),
  insertOne: closed({ document: { type: 'object' } }, ['document']),
  createCollection: closed({ name: { type: 'string' }, options: { type: 'object' } }, ['name']),
};
const pageSize = 2;

type Document = Readonly<Record<string, unknown>>;

/** Astra's Data API for documents without vectors; returns two documents on a page, newest first. */
export function createAstraMemoryHandler(): FakeHandler {
  const collections = new Map<string, Document[]>();
  return fakeHandler(({ method, path, headers, json }) => {
    const [, collection = null] = /^\/api\/json\/v1\/default_keyspace(?:\/([^/]+))?$/.exec(path) ?? [];
    if (method !== 'POST') return { status: 405, json: { detail: 'Method Not Allowed' } };
    if (headers.token !== 'AstraCS:good') {
      return { status: 401, json: { errors: [{ message: 'UNAUTHENTICATED: Invalid token' }] } };
    }
    const [[name = '', payload] = []] = Object.entries((json ?? {}) as Record<string, Document>);
    const schema = payloads[name];
    if (schema === undefined || payload === undefined)
      return refuse('COMMAND_UNKNOWN', `No command "${name}"`);
    const wrong = violation(schema, payload);
    if (wrong !== null) return refuse('COMMAND_FIELD_INVALID', wrong);
    if (name === 'createCollection') {
      collections.set(String(payload['name']), []);
      return { json: { status: { ok: 1 } } };
    }
    const documents = collections.get(collection ?? '');
    if (documents === undefined)
      return refuse('COLLECTION_NOT_EXIST', `Collection does not exist: ${collection}`);
    return name === 'find' ? find(documents, payload) : insert(documents, payload['document'] as Document);
  });
}

function insert(documents: Document[], document: Document): FakeAnswer {
  const _id = `id-${documents.length}`;
  documents.unshift({ _id, ...document });
  return { json: { status: { insertedIds: [_id] } } };
}

function find(documents: readonly Document[], payload: Document): FakeAnswer {
  const filter = Object.entries((payload['filter'] ?? {}) as Document);
  const start = Number((payload['options'] as { readonly pageState?: string } | undefined)?.pageState ?? 0);
  const found = documents.filter((document) => filter.every(([name, value]) => document[name] === value));
  const next = start + pageSize;
  const nextPageState = next < found.length ? String(next) : null;
  return { json: { data: { documents: found.slice(start, next), nextPageState } } };
}

function refuse(errorCode: string, message: string): FakeAnswer {
  return { json: { errors: [{ message, errorCode }] } };
}
