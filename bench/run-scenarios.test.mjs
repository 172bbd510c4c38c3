import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'node:test';
import { runScenarios } from './run-scenarios.mjs';

/** @import { Figures, Scenario, Side } from './scenario.ts' */

const product = { name: 'a product', version: '1', keeps: 'nothing' };

/**
 * @param {Readonly<Record<string, () => Promise<Figures>>>} sides
 * @param {Partial<Scenario>} options
 */
async function run(sides, options) {
  /** @type {Scenario} */
  const scenario = {
    id: 'P1',
    title: 'a text',
    limit: 'x',
    goal: 'y',
    of: 'z',
    open: async () =>
      Object.fromEntries(
        Object.entries(sides).map(([name, side]) => [name, Object.assign(side, { product })]),
      ),
    conclude: () => ({ ratio: 1, perSecond: 1, p50: 1, p99: 1, goals: [] }),
    ...options,
  };
  const { scenarios } = await runScenarios({
    scenarios: [scenario],
    seconds: 1,
    rounds: 2,
    services: undefined,
    signal: new AbortController().signal,
    keep: () => undefined,
  });
  return scenarios[0];
}

/** @param {number} perSecond */
const works = (perSecond) => async () => ({ perSecond, errors: 0, requests: 1 });
const breaks = async () => {
  throw new Error('not installed');
};

/** @returns {() => Promise<Figures>} a side that gives a wrong answer in its last round */
function failsLate() {
  let calls = 0;
  return async () => ({ errors: (calls += 1) === 3 ? 1 : 0, requests: 1, problems: 'a wrong answer' });
}

test('sides that fail have a reason, and the figures of the others are kept', async () => {
  const sides = { first: works(7), breaks, late: failsLate(), last: works(9) };
  const result = await run(sides, { keepsOtherSides: true });
  if (result.failure !== undefined) throw new Error(result.failure);
  deepEqual(Object.keys(result.sides), ['first', 'last']);
  deepEqual([result.rounds.first.length, result.rounds.last.length], [2, 2]);
  equal(result.errors, 0);
  equal(result.notMeasured?.breaks, 'not installed');
  match(result.notMeasured?.late ?? '', /late had 1 errors while measuring a wrong answer/);
  deepEqual(result.products?.breaks, product);
});

test('a side that fails ends a scenario that compares with a limit', async () => {
  const result = await run({ first: works(7), breaks }, {});
  equal(result.failure, 'not installed');
});
