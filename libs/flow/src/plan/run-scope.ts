import type { PlanVertex, RunScope } from './plan';
import { reached } from './reached';
import { scopeOf } from './scope-of';

type Vertices = readonly PlanVertex[];

/**
 * Which vertices a run executes: with a webhook or a chat input, what can be reached from the first one and all that
 * leads there; else everything. Tools nobody uses never run, and what a loop repeats runs inside the loop.
 */
export function runScope(vertices: Vertices): RunScope {
  const start = findStart(vertices);
  const included = start === null ? new Set(vertices.keys()) : connectedTo(start, vertices);
  for (const vertex of vertices) {
    if (vertex.toolMode && vertex.outgoing.length === 0) included.delete(vertex.index);
  }
  return scopeOf(vertices, included, start);
}

function findStart(vertices: Vertices): number | null {
  for (const word of ['webhook', 'chat']) {
    const start = vertices.find((vertex) => vertex.isInput && vertex.id.toLowerCase().includes(word));
    if (start !== undefined) return start.index;
  }
  return null;
}

function connectedTo(start: number, vertices: Vertices): Set<number> {
  const following = reached([start], (index) => (vertices[index]?.outgoing ?? []).map((edge) => edge.target));
  return reached(following, (index) => (vertices[index]?.incoming ?? []).map((edge) => edge.source));
}
