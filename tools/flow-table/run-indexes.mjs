/** Returns the indexes of the vertices that a run executes, including those in loops. */
export function runIndexes(scope) {
  return [...scope.vertices, ...[...scope.bodies.values()].flatMap((body) => runIndexes(body.scope))];
}
