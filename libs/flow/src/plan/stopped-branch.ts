import type { Plan, PlanVertex, RunScope } from './plan';
import { reached } from './reached';

/**
 * The vertices of a scope that must not run when a vertex stops some of its outputs: all that follow from these, except
 * what also follows from its other outputs. Neither goes round a cycle: the next round decides anew.
 */
export function stoppedBranch(
  { vertices }: Plan,
  scope: RunScope,
  vertex: PlanVertex,
  stoppedOutputs: ReadonlySet<string>,
): ReadonlySet<number> {
  const following = ({ outgoing }: PlanVertex, follows: (output: string) => boolean): readonly number[] =>
    outgoing
      .filter((edge) => follows(edge.sourceOutput) && !scope.backWires.has(edge))
      .map((edge) => scope.receivers[edge.target] ?? edge.target)
      .filter((index) => index !== vertex.index && (scope.pending[index] ?? -1) >= 0);
  const all = (index: number): readonly number[] => {
    const next = vertices[index];
    return next === undefined ? [] : following(next, () => true);
  };
  const stopped = reached(
    following(vertex, (output) => stoppedOutputs.has(output)),
    all,
  );
  const live = reached(
    following(vertex, (output) => !stoppedOutputs.has(output)),
    all,
  );
  for (const index of live) stopped.delete(index);
  return stopped;
}
