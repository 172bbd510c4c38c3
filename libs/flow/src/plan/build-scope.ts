import { findBackEdges } from './back-edges';
import type { LoopBody, PlanVertex, RunScope } from './plan';
import { repeatedParts } from './repeated-part';
import { DependencyGraph } from './dependency-graph';

/**
 * Builds the scope that executes these vertices. The body of a loop is a separate scope, which can contain further
 * loops. Vertices after a loop's item output that do not lead back to the loop never run.
 */
export function buildScope(
  vertices: readonly PlanVertex[],
  included: ReadonlySet<number>,
  start: number | null,
): RunScope {
  const parts = repeatedParts(vertices, included);
  const outer = parts.filter(({ loop }) => !parts.some((part) => part.itemBranch.has(loop)));
  const members = new Set(included);
  const receivers = [...vertices.keys()];
  const bodies = new Map<number, LoopBody>();
  for (const { loop, feedback, body, itemBranch } of outer) {
    for (const index of itemBranch) members.delete(index);
    for (const index of body) receivers[index] = loop;
    if (feedback.length > 0) bodies.set(loop, { scope: buildScope(vertices, body, null), feedback });
  }
  const graph = new DependencyGraph(vertices, members, receivers, start);
  const backEdges = findBackEdges(vertices, graph, start);
  return {
    start,
    vertices: [...members].sort((one, other) => one - other),
    pending: vertices.map(
      ({ index }) => graph.dependencies.get(index)?.filter((edge) => !backEdges.has(edge)).length ?? -1,
    ),
    receivers,
    backEdges,
    bodies,
  };
}
