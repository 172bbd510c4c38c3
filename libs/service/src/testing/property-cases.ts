/** The share of the cases that the quick tier runs, and the least number of them. */
const QUICK_SHARE = 0.05;
const QUICK_MINIMUM = 5;

/**
 * Returns with how many cases a test checks a property that is expensive to check: `all`, or in `npm test`, which sets
 * `MILLRACE_QUICK_TESTS`, a twentieth of them unless `quick` is another number. A test file that calls it runs once more in
 * `npm run test:full`.
 */
export function propertyCases(
  all: number,
  quick = Math.max(QUICK_MINIMUM, Math.ceil(all * QUICK_SHARE)),
): number {
  return process.env['MILLRACE_QUICK_TESTS'] === undefined ? all : quick;
}
