import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { missedGoals, sidesSection } from './scenario-sections.mjs';

/** @typedef {Parameters<typeof sidesSection>[0][number]} Scenario */

const goals = [
  { what: 'throughput', value: 0.5, bound: 'at least 0.6', holds: false },
  { what: 'errors', value: 0, bound: 'at most 0', holds: true },
];
const sides = { limit: { perSecond: 250, p50: 1.2345, p99: 2 }, memory: {} };
const scenario = /** @type {Scenario} */ (/** @type {unknown} */ ({ id: 'B2', goals, sides }));

test('names goals that are missed, and lists sides with a throughput or a latency', () => {
  deepEqual(missedGoals(scenario), 'throughput: 0.5 (at least 0.6)');
  deepEqual(sidesSection([scenario]), [
    '## Sides',
    '',
    '| scenario | side | per second | p50 ms | p99 ms |',
    '| --- | --- | --- | --- | --- |',
    '| B2 | limit | 250 | 1.23 | 2 |',
    '',
  ]);
  deepEqual(sidesSection([]), []);
});
