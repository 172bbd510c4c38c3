/** Indexes of the vertices a run executes, those inside of loops included. */
export function runIndexes(scope) {
  return [...scope.vertices, ...[...scope.bodies.values()].flatMap((body) => runIndexes(body.scope))];
}
