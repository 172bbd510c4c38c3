import type { Plan, PlanVertex, RunScope } from './plan';
import { reachableFrom } from './reachable-from';

/**
 * Returns the vertices of a scope that must not run when a vertex stops some of its outputs: all that follow from these
 * outputs, except those that also follow from its other outputs. Edges that close a cycle are not followed: each round
 * decides again.
 */
export function stoppedBranch(
  { vertices }: Plan,
  scope: RunScope,
  vertex: PlanVertex,
  stoppedOutputs: ReadonlySet<string>,
): ReadonlySet<number> {
  const following = ({ outgoing }: PlanVertex, follows: (output: string) => boolean): readonly number[] =>
    outgoing
      .filter((edge) => follows(edge.sourceOutput) && !scope.backEdges.has(edge))
      .map((edge) => scope.receivers[edge.target] ?? edge.target)
      .filter((index) => index !== vertex.index && (scope.pending[index] ?? -1) >= 0);
  const all = (index: number): readonly number[] => {
    const next = vertices[index];
    return next === undefined ? [] : following(next, () => true);
  };
  const stopped = reachableFrom(
    following(vertex, (output) => stoppedOutputs.has(output)),
    all,
  );
  const live = reachableFrom(
    following(vertex, (output) => !stoppedOutputs.has(output)),
    all,
  );
  for (const index of live) stopped.delete(index);
  return stopped;
}
