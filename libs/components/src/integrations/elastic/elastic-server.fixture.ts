import { fakeHandler, violation } from '../http/fake-service.fixture';
import type { FakeAnswer, FakeHandler } from '../http/fake-service.fixture';
import { FakeVectorIndex } from '../vector-stores/fake-vector-index.fixture';

/** The parts of the protocol in which Elasticsearch and OpenSearch differ. */
export interface ElasticKind {
  /** The schema of the definition of an index. */
  readonly indexSchema: object;
  readonly searchSchema: object;
  /** The field with the vector, and its size, in a definition. */
  readonly vectorField: (definition: never) => readonly [field: string, dimensions: number];
  /** The vector to search for, the number of results and the lowest score. */
  readonly searched: (body: never) => {
    readonly vector: readonly number[];
    readonly size: number;
    readonly minimum?: number;
  };
  readonly authorization: string;
}

interface Index extends FakeVectorIndex {
  field?: string;
}

/** Indices with documents, as Elasticsearch and OpenSearch have them. */
export function createElasticFake(kind: ElasticKind): FakeHandler {
  const indices = new Map<string, Index>();
  const refuse = (status: number, type: string, reason: string): FakeAnswer => ({
    status,
    json: { error: { root_cause: [{ type, reason }], type, reason }, status },
  });
  return fakeHandler(({ method, path, headers, json, text, query }) => {
    if (headers.authorization !== kind.authorization) {
      return refuse(401, 'security_exception', 'unable to authenticate user');
    }
    const [, name = '', operation = ''] = /^\/([^/]+)(\/[^/]+)?$/.exec(path) ?? [];
    if (!/^[a-z0-9][a-z0-9._-]*$/.test(name)) {
      return refuse(400, 'invalid_index_name_exception', `Invalid index name [${name}], must be lowercase`);
    }
    const index = indices.get(name);
    if (method === 'HEAD' && operation === '') return { status: index === undefined ? 404 : 200 };
    if (method === 'PUT' && operation === '') {
      if (index !== undefined) {
        return refuse(400, 'resource_already_exists_exception', `index [${name}] already exists`);
      }
      const wrong = violation(kind.indexSchema, json);
      if (wrong !== null) return refuse(400, 'mapper_parsing_exception', wrong);
      const [field, dimensions] = kind.vectorField(json as never);
      indices.set(name, Object.assign(new FakeVectorIndex(dimensions), { field }));
      return { json: { acknowledged: true, index: name } };
    }
    if (index === undefined) return refuse(404, 'index_not_found_exception', `no such index [${name}]`);
    if (method !== 'POST') return refuse(405, 'method_not_allowed', `${method} is not allowed`);
    if (operation === '/_bulk') {
      if (headers['content-type'] !== 'application/x-ndjson' || query.get('refresh') !== 'true') {
        return refuse(
          406,
          'media_type_header_exception',
          'Invalid media-type value on header [Content-Type]',
        );
      }
      return bulk(index, text);
    }
    if (operation !== '/_search')
      return refuse(400, 'illegal_argument_exception', 'no handler found for uri');
    const wrong = violation(kind.searchSchema, json);
    if (wrong !== null) return refuse(400, 'parsing_exception', wrong);
    const { vector, size, minimum = 0 } = kind.searched(json as never);
    if (vector.length !== index.dimensions) {
      return refuse(
        400,
        'illegal_argument_exception',
        `the query vector has a different dimension [${vector.length}] than the index vectors [${index.dimensions}]`,
      );
    }
    const hits = index
      .nearest(vector, size)
      .map(({ id, score, fields }) => ({ _id: id, _score: (1 + score) / 2, _source: fields }))
      .filter(({ _score }) => _score >= minimum);
    return { json: { took: 1, timed_out: false, hits: { hits } } };
  });
}

function bulk(index: Index, text: string): FakeAnswer {
  if (!text.endsWith('\n')) {
    return { status: 400, json: { error: { type: 'x', reason: 'must be terminated by a newline [\\n]' } } };
  }
  const lines = text.trimEnd().split('\n');
  const items = [];
  for (let at = 0; at < lines.length; at += 2) {
    const { index: action } = JSON.parse(lines[at] ?? '') as { readonly index: { readonly _id: string } };
    const source = JSON.parse(lines[at + 1] ?? '') as Readonly<Record<string, unknown>>;
    const vector = source[index.field ?? ''] as readonly number[];
    if (vector.length === index.dimensions) {
      index.put({ id: action._id, vector, fields: source });
      items.push({ index: { _id: action._id, status: 201 } });
      continue;
    }
    const reason = `The [dense_vector] field has a different number of dimensions [${vector.length}] than defined [${index.dimensions}]`;
    items.push({
      index: { _id: action._id, status: 400, error: { type: 'document_parsing_exception', reason } },
    });
  }
  return { json: { took: 1, errors: items.some(({ index: one }) => 'error' in one), items } };
}
