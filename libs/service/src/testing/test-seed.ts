/**
 * Returns the seed of tests that draw their cases: TEST_SEED, which `npm test` sets to the number of the day and prints, so
 * that each day brings new cases and a failure can be repeated. Without it, 1.
 */
export function testSeed(): number {
  return Number(process.env['TEST_SEED'] ?? 1);
}
