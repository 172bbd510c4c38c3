import type { PlanVertex, RunScope } from './plan';
import { reachableFrom } from './reachable-from';
import { buildScope } from './build-scope';

type Vertices = readonly PlanVertex[];

/**
 * Determines the vertices that a run executes. With a webhook or a chat input: all that are reachable from the first
 * one, and their predecessors; else all. Unused tools never run, and the body of a loop runs inside the loop.
 */
export function runScope(vertices: Vertices): RunScope {
  const start = findStart(vertices);
  const included = start === null ? new Set(vertices.keys()) : connectedTo(start, vertices);
  for (const vertex of vertices) {
    if (vertex.toolMode && vertex.outgoing.length === 0) included.delete(vertex.index);
  }
  return buildScope(vertices, included, start);
}

function findStart(vertices: Vertices): number | null {
  for (const word of ['webhook', 'chat']) {
    const start = vertices.find((vertex) => vertex.isInput && vertex.id.toLowerCase().includes(word));
    if (start !== undefined) return start.index;
  }
  return null;
}

function connectedTo(start: number, vertices: Vertices): Set<number> {
  const following = reachableFrom([start], (index) =>
    (vertices[index]?.outgoing ?? []).map((edge) => edge.target),
  );
  return reachableFrom(following, (index) => (vertices[index]?.incoming ?? []).map((edge) => edge.source));
}
