import { randomUUID } from 'node:crypto';
import { fakeHandler, violation } from '../http/fake-service.fixture';
import type { FakeAnswer, FakeHandler } from '../http/fake-service.fixture';
import { cosineSimilarity } from '../vector-stores/maximal-marginal-relevance';

interface Stored {
  readonly id: string;
  readonly embedding: readonly number[];
  readonly document: string;
  readonly metadata: object | null;
}

interface Collection {
  readonly id: string;
  readonly name: string;
  readonly stored: Map<string, Stored>;
}

const scalar = { type: ['string', 'number', 'boolean'] };
const texts = { type: 'array', minItems: 1, items: { type: 'string' } };
const vectors = {
  type: 'array',
  minItems: 1,
  items: { type: 'array', minItems: 1, items: { type: 'number' } },
};
const include = { type: 'array', items: { enum: ['documents', 'metadatas', 'distances', 'embeddings'] } };
const closed = (properties: object, required: readonly string[]) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

const bodies = {
  collections: closed(
    { name: { type: 'string', pattern: '^[a-zA-Z0-9._-]{3,512}$' }, get_or_create: { type: 'boolean' } },
    ['name'],
  ),
  upsert: closed(
    {
      ids: texts,
      embeddings: vectors,
      documents: texts,
      metadatas: {
        type: 'array',
        items: { type: ['object', 'null'], minProperties: 1, additionalProperties: scalar },
      },
    },
    ['ids', 'embeddings'],
  ),
  query: closed({ query_embeddings: vectors, n_results: { type: 'integer', minimum: 1 }, include }, [
    'query_embeddings',
  ]),
  get: closed({ limit: { type: 'integer', minimum: 1 }, include }, []),
};

/** A Chroma server that supports one version of the API and compares vectors for real. */
export function createChromaHandler({
  version = 'v2',
}: { readonly version?: 'v1' | 'v2' } = {}): FakeHandler {
  const byName = new Map<string, Collection>();
  const root =
    version === 'v1'
      ? '/api/v1/collections'
      : '/api/v2/tenants/default_tenant/databases/default_database/collections';
  return fakeHandler(({ path, method, json }) => {
    if (path === `/api/${version}/heartbeat` && method === 'GET')
      return { json: { 'nanosecond heartbeat': 1 } };
    if (!path.startsWith(root) || method !== 'POST') return { status: 404, json: { detail: 'Not Found' } };
    const [, id = '', action = 'collections'] = path.slice(root.length).split('/');
    const schema = bodies[action as keyof typeof bodies] as object | undefined;
    if (schema === undefined) return { status: 404, json: { detail: 'Not Found' } };
    const wrong = violation(schema, json);
    if (wrong !== null) return refuse(422, 'InvalidArgumentError', wrong);
    if (action === 'collections') return open(byName, json as { name: string; get_or_create?: boolean });
    const collection = [...byName.values()].find((one) => one.id === id);
    if (collection === undefined) return refuse(404, 'NotFoundError', `Collection ${id} does not exist.`);
    return use(collection, action, json as never);
  });
}

function open(
  byName: Map<string, Collection>,
  wanted: { name: string; get_or_create?: boolean },
): FakeAnswer {
  const existing = byName.get(wanted.name);
  if (existing !== undefined && wanted.get_or_create !== true) {
    return refuse(409, 'UniqueConstraintError', `Collection ${wanted.name} already exists`);
  }
  const collection = existing ?? { id: randomUUID(), name: wanted.name, stored: new Map() };
  byName.set(wanted.name, collection);
  return { json: { id: collection.id, name: collection.name, metadata: null } };
}

interface Records {
  readonly ids: string[];
  readonly embeddings: number[][];
  readonly documents: string[];
  readonly metadatas: (object | null)[];
  readonly query_embeddings: number[][];
  readonly n_results?: number;
  readonly limit?: number;
  readonly include?: string[];
}

function use({ stored }: Collection, action: string, body: Records): FakeAnswer {
  const size = [...stored.values()][0]?.embedding.length;
  const [given = []] = body.embeddings ?? body.query_embeddings ?? [];
  if (size !== undefined && given.length > 0 && given.length !== size) {
    const message = `Collection expecting embedding with dimension of ${size}, got ${given.length}`;
    return refuse(400, 'InvalidArgumentError', message);
  }
  if (action === 'upsert') {
    body.ids.forEach((id, index) =>
      stored.set(id, {
        id,
        embedding: body.embeddings[index] ?? [],
        document: body.documents[index] ?? '',
        metadata: body.metadatas[index] ?? null,
      }),
    );
    return { json: {} };
  }
  if (action === 'get')
    return { json: columns([...stored.values()].slice(0, body.limit), body.include ?? []) };
  const near = [...stored.values()]
    .map((one) => ({ ...one, distance: 1 - cosineSimilarity(given, one.embedding) }))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, body.n_results ?? 10);
  const found = Object.entries(columns(near, body.include ?? []));
  return { json: Object.fromEntries(found.map(([name, list]) => [name, list === null ? null : [list]])) };
}

function columns(list: readonly (Stored & { distance?: number })[], wanted: readonly string[]) {
  const column = (name: string, member: keyof Stored | 'distance') =>
    wanted.includes(name) ? list.map((one) => one[member as keyof Stored]) : null;
  return {
    ids: list.map(({ id }) => id),
    documents: column('documents', 'document'),
    metadatas: column('metadatas', 'metadata'),
    distances: column('distances', 'distance'),
    embeddings: column('embeddings', 'embedding'),
  };
}

function refuse(status: number, error: string, message: string): FakeAnswer {
  return { status, json: { error, message } };
}
