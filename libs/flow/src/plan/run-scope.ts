import type { PlanVertex, RunScope } from './plan';

type Vertices = readonly PlanVertex[];

/**
 * Which vertices a run executes: with a webhook or a chat input, what can be reached from the first one and all that
 * leads there; else everything. Tools nobody uses never run.
 */
export function runScope(vertices: Vertices): RunScope {
  const start = findStart(vertices);
  const included = start === null ? new Set(vertices.keys()) : connectedTo(start, vertices);
  for (const vertex of vertices) {
    if (vertex.toolMode && vertex.outgoing.length === 0) included.delete(vertex.index);
  }
  return {
    start,
    vertices: vertices.filter((vertex) => included.has(vertex.index)).map((vertex) => vertex.index),
    pending: vertices.map((vertex) =>
      included.has(vertex.index) ? vertex.incoming.filter((edge) => included.has(edge.source)).length : -1,
    ),
  };
}

function findStart(vertices: Vertices): number | null {
  for (const word of ['webhook', 'chat']) {
    const start = vertices.find((vertex) => vertex.isInput && vertex.id.toLowerCase().includes(word));
    if (start !== undefined) return start.index;
  }
  return null;
}

function connectedTo(start: number, vertices: Vertices): Set<number> {
  const reached = walk([start], vertices, (vertex) => vertex.outgoing.map((edge) => edge.target));
  return walk([...reached], vertices, (vertex) => vertex.incoming.map((edge) => edge.source));
}

/** All vertices reached from some, themselves included. */
function walk(
  from: readonly number[],
  vertices: Vertices,
  next: (vertex: PlanVertex) => readonly number[],
): Set<number> {
  const reached = new Set(from);
  // A set's iteration goes on to members added while it runs.
  for (const index of reached) {
    const vertex = vertices[index];
    if (vertex !== undefined) for (const neighbour of next(vertex)) reached.add(neighbour);
  }
  return reached;
}
