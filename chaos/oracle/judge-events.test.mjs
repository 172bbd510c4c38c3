import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { isByPolicy } from './judge-events.mjs';

/**
 * Schedules of every two seconds: the policy, the occurrences left out, those counted as missed, how late the firing was in
 * milliseconds, and whether the policy allows it.
 * @type {readonly (readonly ['all' | 'coalesce' | 'skip', number, number, number, boolean])[]}
 */
const firings = [
  ['all', 0, 0, 100, true],
  ['all', 1, 0, 100, false],
  ['all', 0, 1, 100, false],
  ['coalesce', 0, 0, 100, true],
  ['coalesce', 3, 3, 100, true],
  ['coalesce', 3, 2, 100, false],
  ['coalesce', 0, 3, 100, false],
  ['coalesce', 5_000, 1_000, 100, true],
  ['skip', 3, 0, 59_000, true],
  ['skip', 3, 0, 100, false],
  ['skip', 0, 0, 100, true],
];

for (const [policy, between, missed, late, isAllowed] of firings)
  test(`${policy} leaves out ${between}, counts ${missed}, ${late} ms late: ${isAllowed ? 'allowed' : 'a violation'}`, () => {
    const schedule = { id: 's', policy, seconds: 2, active: { from: 0, to: 60_000 } };
    deepEqual(isByPolicy(schedule, { at: 100_000, firedAt: 100_000 + late, missed, between }), isAllowed);
  });
