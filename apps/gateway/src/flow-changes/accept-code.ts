import { acceptedCodeMember } from '@millrace/flow';
import type { Plan } from '@millrace/flow';
import { HttpError } from '@millrace/http';
import { isRecord } from '../http/bodies/parse-json';

/**
 * Returns a copy of a flow document in which these vertices, or all that can, run the stock component instead of their
 * edited code. The acceptance stores the hash of the code: other code in the same node is refused again. Throws
 * invalid_value when a named vertex has no edited code of a known component.
 */
export function acceptCode(document: unknown, plan: Plan, vertexIds: readonly string[] | 'all'): unknown {
  const acceptable = new Map(
    plan.vertices.filter(({ acceptable }) => acceptable).map((vertex) => [vertex.id, vertex]),
  );
  const hashes = new Map<string, string>();
  for (const id of vertexIds === 'all' ? acceptable.keys() : vertexIds) {
    const vertex = acceptable.get(id);
    if (vertex === undefined) {
      throw new HttpError('invalid_value', `The vertex "${id}" has no edited code of a stock component.`);
    }
    hashes.set(id, vertex.codeHash);
  }
  return isRecord(document) && hashes.size > 0 ? withAccepted(document, hashes) : document;
}

type JsonRecord = Readonly<Record<string, unknown>>;

/** Marks the nodes, also inside groups at any depth. The depth of documents is limited. */
function withAccepted(graph: JsonRecord, hashes: ReadonlyMap<string, string>): JsonRecord {
  const nodes = graph['nodes'];
  if (!Array.isArray(nodes)) return graph;
  return {
    ...graph,
    nodes: nodes.map((node: unknown) => (isRecord(node) ? nodeAccepted(node, hashes) : node)),
  };
}

function nodeAccepted(node: JsonRecord, hashes: ReadonlyMap<string, string>): JsonRecord {
  const data = isRecord(node['data']) ? node['data'] : {};
  const body = isRecord(data['node']) ? data['node'] : {};
  const flow = isRecord(body['flow']) ? body['flow'] : null;
  const hash = hashes.get(String(node['id']));
  if (flow !== null && isRecord(flow['data'])) {
    return withBody(node, data, { ...body, flow: { ...flow, data: withAccepted(flow['data'], hashes) } });
  }
  if (hash === undefined) return node;
  const metadata = isRecord(body['metadata']) ? body['metadata'] : {};
  return withBody(node, data, { ...body, metadata: { ...metadata, [acceptedCodeMember]: hash } });
}

function withBody(node: JsonRecord, data: JsonRecord, body: JsonRecord): JsonRecord {
  return { ...node, data: { ...data, node: body } };
}
