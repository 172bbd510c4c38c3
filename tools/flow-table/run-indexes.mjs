/**
 * Returns the indexes of the vertices that a run executes, including those in loops.
 * @param {import('./table.mjs').Plan['scope']} scope
 * @returns {number[]}
 */
export function runIndexes(scope) {
  return [...scope.vertices, ...[...scope.bodies.values()].flatMap((body) => runIndexes(body.scope))];
}
