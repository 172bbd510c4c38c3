import type { Plan, PlanVertex, RunScope } from './plan';

/** Returns the vertices that a run executes, including those inside loops. */
export function reachedVertices({
  scope,
  vertices,
}: Pick<Plan, 'scope' | 'vertices'>): readonly PlanVertex[] {
  return reachedIndexes(scope).flatMap((index) => vertices[index] ?? []);
}

function reachedIndexes(scope: RunScope): readonly number[] {
  return [...scope.vertices, ...[...scope.bodies.values()].flatMap((body) => reachedIndexes(body.scope))];
}
