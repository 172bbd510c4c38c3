import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { judge } from './judge.mjs';
import { streamsWithGaps } from './judge-answers.mjs';
import { answer, CALLED, DELIVERED, RUN, runOf, stored, validRecords } from './valid-records.fixture.mjs';

/** @import { Seen } from './judge.mjs' */

/**
 * Makes the webhook a run in Python whose process was killed in its second attempt.
 * @param {Seen} seen
 */
function endedInPython(seen) {
  seen.python = { flowIds: new Set(['flow-py']), outliving: [] };
  const failure = '{"message":"The Python process ended: SIGKILL"}';
  Object.assign(runOf(seen, RUN), { flowId: 'flow-py', status: 'failed', attempt: 2, failure });
}

/**
 * Makes the webhook a dead run whose attempts were lost with workers of these pids.
 * @param {Seen} seen
 * @param {readonly number[]} pids
 */
function diedWith(seen, pids) {
  Object.assign(runOf(seen, RUN), { status: 'dead', attempt: pids.length });
  const attempts = pids.map((pid, index) => ({
    attempt: index + 1,
    worker: `host-${pid}-9f86d0`,
    outcome: 'executor_lost',
  }));
  seen.stored.attempts = new Map([[RUN, attempts]]);
  seen.settled.queues[0].messages = 1;
}

/**
 * Violations: the invariant that each breaks, and a function that adds it to the records.
 * @type {Readonly<Record<string, [string, (seen: Seen) => unknown]>>}
 */
const violations = {
  'an accepted run without a row': ['I1', ({ stored: { runs } }) => runs.delete(RUN)],
  'an accepted run that failed': ['I1', (seen) => (runOf(seen, RUN).status = 'failed')],
  'a dead run with an attempt whose executor was not killed': [
    'I1',
    (seen) => {
      diedWith(seen, [11, 12, 14]);
      seen.settled.queues[0].messages = 0;
    },
  ],
  'a dead run with an attempt less than it can have': [
    'I1',
    (seen) => {
      diedWith(seen, [11, 12]);
      seen.settled.queues[0].messages = 0;
    },
  ],
  'a webhook id with two runs': [
    'I1',
    (seen) =>
      seen.stored.runs.set('other', stored({ ...runOf(seen, RUN), id: 'other', attempt: 0, status: 'dead' })),
  ],
  'an end that changed': [
    'I2',
    ({ observer }) =>
      observer.compare([{ id: RUN, status: 'failed', attempt: 1, finished: 'before', content: 'y' }]),
  ],
  'a run with too many messages': ['I2', (seen) => seen.stored.overfullRuns.push({ runId: RUN, count: 4 })],
  'a webhook without effect': ['I3', ({ sink }) => sink.effects.delete(`${RUN}:a`)],
  'two effects in one attempt': [
    'I3',
    ({ sink }) => sink.effects.set(`${RUN}:a`, { runId: RUN, token: 'webhook-1', count: 2 }),
  ],
  'a dead letter': ['I4', ({ settled }) => (settled.queues[0].messages = 1)],
  'a lease that expired': ['I5', ({ observer }) => observer.overdue.add(RUN)],
  'an unhandled error': [
    'I6',
    ({ logs }) => logs.read('gateway {"msg":"gateway: unhandled error; exiting"}'),
  ],
  'unbounded memory': [
    'I7',
    ({ observer }) => observer.peaks.set('ingest-1', { residentBytes: 1024 ** 3, files: 20 }),
  ],
  'an extra channel': ['I7', ({ atBroker }) => (atBroker.after.channels = 29)],
  'a blocked event loop of a gateway between faults': [
    'I8',
    ({ observer }) =>
      observer.eventLoops.spans.push(
        { name: 'gateway-1', from: 1_500, to: 3_500, samples: 100, late: 90 },
        { name: 'gateway-1', from: 3_500, to: 5_500, samples: 100, late: 2 },
      ),
  ],
  'a secret in a log': ['I9', ({ logs }) => logs.read('executor {"msg":"called with sk-very-secret"}')],
  'an answer that differs from the stored result': [
    'I10',
    ({ ledger }) => (ledger.runs[0].body = '{"a": 1}'),
  ],
  'a caller without an answer': [
    'A1',
    ({ ledger }) => ledger.runs.push(answer({ status: 0, problem: 'NO_ANSWER' })),
  ],
  'a failure without a reason': ['A2', ({ ledger }) => ledger.runs.push(answer({ status: 500 }))],
  'a 503 without Retry-After': ['A2', ({ ledger }) => ledger.runs.push(answer({ status: 503 }))],
  'a run in Python without the effect of a vertex': [
    'P1',
    (seen) => {
      seen.python = { flowIds: new Set(['flow-py']), outliving: [] };
      runOf(seen, CALLED).flowId = 'flow-py';
    },
  ],
  'a Python process without its executor': [
    'P2',
    (seen) => (seen.python = { flowIds: new Set(), outliving: ['process 7'] }),
  ],
  'a run in Python that failed in its first attempt': [
    'I1',
    (seen) => {
      endedInPython(seen);
      runOf(seen, RUN).attempt = 1;
    },
  ],
  'a vertex with two effects in one attempt': [
    'I3',
    ({ sink }) => sink.effects.set(`${RUN}:b`, { runId: RUN, token: 'webhook-1', count: 2 }),
  ],
  'an accepted delivery without an event': ['E1', ({ events }) => (events.stored.deliveries = [])],
  'a delivery with two events': [
    'E1',
    ({ events }) => events.stored.deliveries.push({ token: 'delivery-1', runId: DELIVERED }),
  ],
  'deliveries that are refused while webhooks are accepted': [
    'E4',
    ({ ledger }) => {
      const refused = { status: 503, startedAt: 1, milliseconds: 5, retryAfter: '1' };
      ledger.deliveries[0].tries.unshift(...Array.from({ length: 50 }, () => refused));
    },
  ],
  'an occurrence that did not fire': ['E2', ({ events }) => (events.stored.occurrences[1].at = 4_000)],
  'a schedule that did not fire': ['E2', ({ events }) => (events.stored.occurrences = [])],
  'an end without a report': ['E3', ({ events }) => events.stored.reports.pop()],
  'a report that did not arrive': ['E3', ({ events }) => events.receiver.accepted.clear()],
  'a report with two bodies': [
    'E3',
    ({ events }) => events.receiver.bodies.get(`report of ${DELIVERED}`)?.add('{"other": 1}'),
  ],
  'a stream without an end': ['A3', ({ ledger }) => (ledger.streams[0].ends = 0)],
  'a stream that mixes attempts': [
    'A3',
    ({ ledger }) => ledger.streams.push(ledger.streams[0], { ...ledger.streams[0], text: 'a a b' }),
  ],
  'work that continues after its caller disconnected': [
    'A4',
    ({ ledger, sink }) => {
      ledger.disconnectedCallers.push({ token: 'webhook-1', kind: 'run', disconnectedAt: 1 });
      sink.broken.push({ token: 'webhook-1', at: 4_000 });
    },
  ],
  'a run that is not cancelled when its caller disconnects': [
    'A4',
    (seen) => {
      seen.ledger.disconnectedCallers.push({ token: 'leaver-1', kind: 'stream', disconnectedAt: 1 });
      runOf(seen, CALLED).sessionId = 'leaver-1';
    },
  ],
};

test('finds no violation in valid records', () => {
  deepEqual(broken(validRecords()), []);
});

test('distinguishes streams that lost tokens from streams that mix attempts', () => {
  const seen = validRecords();
  const [whole] = seen.ledger.streams;
  seen.ledger.streams.push(whole, { ...whole, token: 'gap', text: ' b' });
  deepEqual(broken(seen), []);
  deepEqual(
    streamsWithGaps(seen.ledger).map(({ token }) => token),
    ['gap'],
  );
});

test('accepts a run whose Python process was killed in a later attempt, and vertices with an effect each', () => {
  const seen = validRecords();
  endedInPython(seen);
  seen.sink.effects.set(`${RUN}:b`, { runId: RUN, token: 'webhook-1', count: 1 });
  deepEqual(broken(seen), []);
});

test('accepts a dead run whose executor was killed in each attempt, and its dead letter', () => {
  const seen = validRecords();
  diedWith(seen, [11, 12, 13]);
  deepEqual(broken(seen), []);
});

test('accepts a schedule that did not fire because it was paused before its first occurrence', () => {
  const seen = validRecords();
  seen.events.triggers.schedules.push({
    id: 'minutely',
    policy: 'coalesce',
    seconds: 60,
    active: { from: 0, to: 40_000 },
  });
  deepEqual(broken(seen), []);
});

test('does not count a blocked event loop during a fault', () => {
  const seen = validRecords();
  seen.observer.eventLoops.spans.push({ name: 'gateway-1', from: 500, to: 1_500, samples: 100, late: 90 });
  deepEqual(broken(seen), []);
});

for (const [what, [id, plant]] of Object.entries(violations))
  test(`reports ${what}`, () => {
    const seen = validRecords();
    plant(seen);
    deepEqual(broken(seen), [id]);
  });

/** @param {Seen} seen */
function broken(seen) {
  return judge(seen)
    .filter(({ found }) => found.length > 0)
    .map(({ id }) => id);
}
