import type { PlanEdge, PlanVertex } from './plan';
import { reachableFrom } from './reachable-from';
import type { DependencyGraph } from './dependency-graph';

/** Further cycles are not broken. Real flows have far fewer, and each cycle costs a walk through the graph. */
const maximumCycles = 20;

/**
 * Returns the edges that lead back to the entry of a cycle. No vertex waits for them, because otherwise none could
 * start; a value on such an edge begins another round. The entry of a cycle is a vertex that an edge from outside
 * reaches, as close as possible after a vertex that can end the cycle. A cycle that no vertex can end is not broken: it
 * is a deadlock.
 */
export function findBackEdges(
  vertices: readonly PlanVertex[],
  graph: DependencyGraph,
  start: number | null,
): ReadonlySet<PlanEdge> {
  const back = new Set<PlanEdge>();
  const counts = new Map([...graph.dependencies].map(([index, wires]) => [index, wires.length]));
  const settled = new Set<number>();
  for (let cycles = 0; ; cycles += 1) {
    for (const index of [...counts.keys()].filter((index) => counts.get(index) === 0)) settled.add(index);
    // Iteration over a set includes members added while it runs.
    for (const index of settled) {
      if (!counts.delete(index)) continue;
      for (const edge of graph.outgoing(index)) {
        const follower = graph.receiver(edge);
        const count = counts.get(follower);
        if (count === undefined || back.has(edge)) continue;
        counts.set(follower, count - 1);
        if (count === 1) settled.add(follower);
      }
    }
    const entry = cycles === maximumCycles ? null : findEntry(vertices, graph, { settled, start });
    if (entry === null) return back;
    for (const edge of graph.dependencies.get(entry) ?? []) if (!settled.has(edge.source)) back.add(edge);
    counts.set(entry, 0);
  }
}

interface Progress {
  readonly settled: ReadonlySet<number>;
  readonly start: number | null;
}

/** Finds the entry of the first cycle that waits only for itself; null when no such cycle can end. */
function findEntry(
  vertices: readonly PlanVertex[],
  graph: DependencyGraph,
  { settled, start }: Progress,
): number | null {
  const isUnsettled = (index: number): boolean => graph.dependencies.has(index) && !settled.has(index);
  const first = lastFinished(graph, isUnsettled);
  if (first === null) return null;
  // Every unsettled vertex that leads to a member of such a cycle belongs to the cycle.
  const cycle = reachableFrom([first], (index) => graph.sources(index, isUnsettled));
  const exits = [...cycle].filter((index) => vertices[index]?.component?.routes === true);
  if (exits.length === 0) return null;
  if (start !== null && cycle.has(start)) return start;
  const inCycle = (index: number): boolean => cycle.has(index);
  const behindExits = [
    ...reachableFrom(
      exits.flatMap((index) => [...graph.followers(index, inCycle)]),
      (index) => graph.followers(index, inCycle),
    ),
  ];
  const isFed = (index: number): boolean =>
    !graph.sources(index, (source) => settled.has(source)).next().done;
  return behindExits.find(isFed) ?? behindExits[0] ?? null;
}

/**
 * Returns the root of the last walk over the unsettled vertices: every unsettled vertex that leads to it is also
 * reachable from it.
 */
function lastFinished(graph: DependencyGraph, isUnsettled: (index: number) => boolean): number | null {
  const seen = new Set<number>();
  const isNew = (index: number): boolean => isUnsettled(index) && !seen.has(index);
  let last: number | null = null;
  for (const root of graph.dependencies.keys()) {
    if (!isNew(root)) continue;
    for (const index of reachableFrom([root], (next) => graph.followers(next, isNew))) seen.add(index);
    last = root;
  }
  return last;
}
