/** The share of the cases that the quick tier runs, and the least number of them. */
const QUICK_SHARE = 0.05;
const QUICK_MINIMUM = 5;

/**
 * Returns with how many cases a test checks a property that is expensive to check: `all`, or a twentieth of them in
 * `npm test`, which sets `MILLRACE_QUICK_TESTS`. A test file that calls it runs once more in `npm run test:full`.
 */
export function propertyCases(all: number): number {
  if (process.env['MILLRACE_QUICK_TESTS'] === undefined) return all;
  return Math.max(QUICK_MINIMUM, Math.ceil(all * QUICK_SHARE));
}
