import { backWires } from './back-wires';
import type { LoopBody, PlanVertex, RunScope } from './plan';
import { repeatedParts } from './repeated-part';
import { WaitingGraph } from './waiting-graph';

/**
 * The scope that executes these vertices. What a loop repeats is a scope of its own, inside which loops may stand in
 * turn; what hangs on a loop's items and never leads back runs nowhere.
 */
export function scopeOf(
  vertices: readonly PlanVertex[],
  included: ReadonlySet<number>,
  start: number | null,
): RunScope {
  const parts = repeatedParts(vertices, included);
  const outer = parts.filter(({ loop }) => !parts.some((part) => part.left.has(loop)));
  const members = new Set(included);
  const receivers = [...vertices.keys()];
  const bodies = new Map<number, LoopBody>();
  for (const { loop, feedback, body, left } of outer) {
    for (const index of left) members.delete(index);
    for (const index of body) receivers[index] = loop;
    if (feedback !== null) bodies.set(loop, { scope: scopeOf(vertices, body, null), feedback });
  }
  const graph = new WaitingGraph(vertices, members, receivers);
  const back = backWires(vertices, graph, start);
  return {
    start,
    vertices: [...members].sort((one, other) => one - other),
    pending: vertices.map(
      ({ index }) => graph.waits.get(index)?.filter((edge) => !back.has(edge)).length ?? -1,
    ),
    receivers,
    backWires: back,
    bodies,
  };
}
