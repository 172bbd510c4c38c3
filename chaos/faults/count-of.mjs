/**
 * Returns the sum of the counts whose name ends with `end`, as in { 'run 200': 3, 'keyed 200': 1 }.
 * @param {Readonly<Record<string, number>>} counts
 * @param {string} end
 */
export function countOf(counts, end) {
  return Object.entries(counts)
    .filter(([name]) => name.endsWith(end))
    .reduce((sum, [, count]) => sum + count, 0);
}
