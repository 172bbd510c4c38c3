import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { judge } from './judge.mjs';
import { ASKED, CONSENTED, questionOf, runOf, tried, validRecords } from './valid-records.fixture.mjs';

/** @import { Seen } from './judge.mjs' */

/**
 * Returns the ids of the invariants that are broken when `change` has changed valid records.
 * @param {(seen: Seen) => unknown} change
 */
function brokenBy(change) {
  const seen = validRecords();
  change(seen);
  return judge(seen)
    .filter(({ found }) => found.length > 0)
    .map(({ id }) => id);
}

/**
 * Moves the effect of a run to another vertex.
 * @param {Seen} seen
 * @param {string} vertex
 */
function goesOnAt({ sink }, vertex) {
  sink.effects.delete(`${ASKED}:APIRequest-reject`);
  sink.effects.set(`${ASKED}:${vertex}`, { runId: ASKED, token: 'asking-1_1', count: 1 });
}

/**
 * @type {Readonly<Record<string, [string, (seen: Seen) => unknown]>>}
 */
const violations = {
  'a run that went on with another answer': ['S1', (seen) => goesOnAt(seen, 'APIRequest-approve')],
  'a run that went on with the fallback in spite of an answer': [
    'S1',
    (seen) => goesOnAt(seen, 'APIRequest-fallback'),
  ],
  'a run that went on with two answers': [
    'S1',
    ({ sink }) =>
      sink.effects.set(`${ASKED}:APIRequest-approve`, { runId: ASKED, token: 'asking-1_1', count: 1 }),
  ],
  'an effect that is about another result than the question': [
    'S1',
    ({ sink }) =>
      sink.effects.set(`${ASKED}:APIRequest-reject`, { runId: ASKED, token: 'asking-1_2', count: 1 }),
  ],
  'a run that went on twice': [
    'S1',
    ({ sink }) =>
      sink.effects.set(`${ASKED}:APIRequest-reject`, { runId: ASKED, token: 'asking-1_1', count: 2 }),
  ],
  'a call of a tool without the edited arguments': [
    'S1',
    ({ sink }) =>
      sink.effects.set(`${CONSENTED}:APIRequest-tool:5e`, {
        runId: CONSENTED,
        token: 'consent-2',
        count: 1,
      }),
  ],
  'a call of a tool that a person rejected': [
    'S1',
    (seen) => (questionOf(seen, CONSENTED).tries = [tried('reject')]),
  ],
  'a question of a run that is not stored as suspended': [
    'S1',
    ({ stored: { suspensions } }) => suspensions.delete(ASKED),
  ],
  'a request before the pause that is made again': ['S2', ({ sink }) => sink.looks.set('asking-1', 2)],
  'a call of a model that is made again under the same key': [
    'S2',
    ({ modelCalls }) => modelCalls.set('consent-2', ['key-1', 'key-1', 'key-2']),
  ],
  'a call of a model under a further key': [
    'S2',
    (seen) => {
      runOf(seen, CONSENTED).attempt = 3;
      seen.modelCalls.set('consent-2', ['key-1', 'key-2', 'key-3']);
    },
  ],
  'two answers that were taken': [
    'S3',
    (seen) => questionOf(seen, ASKED).tries.push(tried('reject', 'link')),
  ],
  'an answer that fails': ['S3', (seen) => questionOf(seen, ASKED).tries.push(tried('reject', 'link', 500))],
  'a suspended run that was lost': ['I1', (seen) => (runOf(seen, ASKED).status = 'suspended')],
};

for (const [what, [id, plant]] of Object.entries(violations))
  test(`reports ${what}`, () => deepEqual(brokenBy(plant), [id]));

test('reports an answer that is refused without another answer', () => {
  const broken = brokenBy((seen) => {
    goesOnAt(seen, 'APIRequest-fallback');
    questionOf(seen, ASKED).tries = [tried('reject', 'resume', 409)];
  });
  deepEqual(broken, ['S3']);
});

test('reports a run that is cancelled without a request', () => {
  const broken = brokenBy((seen) => (runOf(seen, ASKED).status = 'cancelled'));
  deepEqual(broken, ['S1']);
});

test('accepts a second answer that is refused, a cancelled run, and an answer whose fate was not known', () => {
  const broken = brokenBy((seen) => {
    questionOf(seen, ASKED).tries = [tried('reject', 'link', 0), tried('reject', 'link', 409)];
    const cancelled = questionOf(seen, CONSENTED);
    cancelled.isCancelled = true;
    runOf(seen, CONSENTED).status = 'cancelled';
  });
  deepEqual(broken, []);
});

test('accepts the fallback of a question without an answer, and one attempt more for a killed one', () => {
  const broken = brokenBy((seen) => {
    questionOf(seen, ASKED).tries = [];
    goesOnAt(seen, 'APIRequest-fallback');
    runOf(seen, CONSENTED).attempt = 3;
    seen.modelCalls.set('consent-2', ['key-1', 'key-2', 'key-2']);
  });
  deepEqual(broken, []);
});
