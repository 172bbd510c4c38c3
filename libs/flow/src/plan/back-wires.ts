import type { PlanEdge, PlanVertex } from './plan';
import { reached } from './reached';
import type { WaitingGraph } from './waiting-graph';

/** Further cycles stay uncut; nobody draws so many, and each one costs a walk through the graph. */
const maximumCycles = 20;

/**
 * The wires that lead back to where a cycle begins. Nobody waits for them, or nothing could begin; what comes over one
 * begins another round. A cycle begins where something from outside reaches it, as near behind a vertex that can end it
 * as may be. A cycle that no vertex can end is left alone: it is a deadlock.
 */
export function backWires(
  vertices: readonly PlanVertex[],
  graph: WaitingGraph,
  start: number | null,
): ReadonlySet<PlanEdge> {
  const back = new Set<PlanEdge>();
  const counts = new Map([...graph.waits].map(([index, wires]) => [index, wires.length]));
  const settled = new Set<number>();
  for (let cycles = 0; ; cycles += 1) {
    for (const index of [...counts.keys()].filter((index) => counts.get(index) === 0)) settled.add(index);
    // A set's iteration goes on to members added while it runs.
    for (const index of settled) {
      if (!counts.delete(index)) continue;
      for (const edge of graph.leaving(index)) {
        const follower = graph.receiver(edge);
        const count = counts.get(follower);
        if (count === undefined || back.has(edge)) continue;
        counts.set(follower, count - 1);
        if (count === 1) settled.add(follower);
      }
    }
    const entry = cycles === maximumCycles ? null : findEntry(vertices, graph, { settled, start });
    if (entry === null) return back;
    for (const wire of graph.waits.get(entry) ?? []) if (!settled.has(wire.source)) back.add(wire);
    counts.set(entry, 0);
  }
}

interface Progress {
  readonly settled: ReadonlySet<number>;
  readonly start: number | null;
}

/** Where the first cycle begins that waits for nothing but itself; null when there is none that can end. */
function findEntry(
  vertices: readonly PlanVertex[],
  graph: WaitingGraph,
  { settled, start }: Progress,
): number | null {
  const isLeft = (index: number): boolean => graph.waits.has(index) && !settled.has(index);
  const first = lastFinished(graph, isLeft);
  if (first === null) return null;
  // All that leads to a member of such a cycle is in it.
  const cycle = reached([first], (index) => graph.sources(index, isLeft));
  const exits = [...cycle].filter((index) => vertices[index]?.component?.routes === true);
  if (exits.length === 0) return null;
  if (start !== null && cycle.has(start)) return start;
  const inCycle = (index: number): boolean => cycle.has(index);
  const behindExits = [
    ...reached(
      exits.flatMap((index) => [...graph.followers(index, inCycle)]),
      (index) => graph.followers(index, inCycle),
    ),
  ];
  const isFed = (index: number): boolean =>
    !graph.sources(index, (source) => settled.has(source)).next().done;
  return behindExits.find(isFed) ?? behindExits[0] ?? null;
}

/** The vertex that a walk over all that is left finishes last: nothing leads to it but what it leads to itself. */
function lastFinished(graph: WaitingGraph, isLeft: (index: number) => boolean): number | null {
  const seen = new Set<number>();
  const isNew = (index: number): boolean => isLeft(index) && !seen.has(index);
  let last: number | null = null;
  for (const root of graph.waits.keys()) {
    if (!isNew(root)) continue;
    for (const index of reached([root], (next) => graph.followers(next, isNew))) seen.add(index);
    last = root;
  }
  return last;
}
