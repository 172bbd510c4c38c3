import type { Plan, PlanVertex } from './plan';

/**
 * The vertices that must not run when a vertex stops some of its outputs: all that follow from these, except what also
 * follows from its other outputs.
 */
export function stoppedBranch(
  plan: Plan,
  vertex: PlanVertex,
  stoppedOutputs: ReadonlySet<string>,
): ReadonlySet<number> {
  const stopped = descendants(plan, vertex, (output) => stoppedOutputs.has(output));
  const live = descendants(plan, vertex, (output) => !stoppedOutputs.has(output));
  for (const index of live) stopped.delete(index);
  stopped.delete(vertex.index);
  return stopped;
}

function descendants(plan: Plan, vertex: PlanVertex, follows: (output: string) => boolean): Set<number> {
  const first = vertex.outgoing.filter((edge) => follows(edge.sourceOutput)).map((edge) => edge.target);
  const reached = new Set(first);
  for (const index of reached) {
    for (const edge of plan.vertices[index]?.outgoing ?? []) reached.add(edge.target);
  }
  return reached;
}
