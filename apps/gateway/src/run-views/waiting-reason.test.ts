import type { WaitingFacts } from '@millrace/runs';
import { interactiveReason, waitingReason } from './waiting-reason';

const now = new Date('2026-11-29T12:00:00Z');
const later = new Date('2026-11-29T12:00:30Z');
const free = { slots: 8, busy: 2 };
const facts: WaitingFacts = {
  id: 'x',
  status: 'accepted',
  pool: 'gpu',
  isInBacklog: false,
  place: null,
  pauseReason: null,
  flowLimit: null,
  triggerLimit: null,
  userShare: null,
  nextSweepAt: later,
  pause: null,
  question: null,
  callback: null,
};
const backlog = { isInBacklog: true, place: 9, nextSweepAt: null };
const failed = { cause: 'failed', attempt: 2, attempts: 3 } as const;

test.each([
  [
    { status: 'suspended', question: { dueAt: later } },
    free,
    'person',
    'It waits for the answer of a person.',
    { at: later },
  ],
  [
    { ...backlog, pauseReason: 'incident 7', flowLimit: 1 },
    free,
    'flow_paused',
    'The flow is paused: incident 7',
    {},
  ],
  [
    { pause: failed },
    { slots: 0, busy: 0 },
    'next_attempt',
    'Attempt 2 of 3 begins after a pause, since the last one failed.',
    { at: later, attempt: 2, attempts: 3 },
  ],
  [
    { pause: { ...failed, cause: 'executor_lost' } },
    free,
    'next_attempt',
    'Attempt 2 of 3 begins after a pause, since the executor of the last one was lost.',
    { at: later },
  ],
  [backlog, { slots: 0, busy: 0 }, 'no_executor', 'No executor of pool gpu is connected.', {}],
  [
    { ...backlog, flowLimit: 1, userShare: 250 },
    free,
    'flow_limit',
    'The flow allows 1 at a time; it is 9th in line.',
    { limit: 1, place: 9 },
  ],
  [
    { ...backlog, place: null, flowLimit: 2 },
    null,
    'flow_limit',
    'The flow allows 2 at a time; more than 1000 are before it.',
    { limit: 2, place: null },
  ],
  [
    { ...backlog, place: 22, triggerLimit: 4 },
    free,
    'trigger_limit',
    'The trigger allows 4 at a time; of the flow, it is 22nd in line.',
    { limit: 4, place: 22 },
  ],
  [
    { ...backlog, place: 11, userShare: 250 },
    free,
    'user_share',
    'The user has 250 published runs in pool gpu, which is the share of each; of the flow, it is 11th in line.',
    { limit: 250, place: 11 },
  ],
  [
    { status: 'queued' },
    { slots: 8, busy: 8 },
    'executors_busy',
    'All 8 slots of pool gpu are in use.',
    { limit: 8 },
  ],
  [
    { status: 'queued' },
    null,
    'delivery',
    'It is published; an executor of pool gpu takes it next.',
    { at: null },
  ],
  [{}, free, 'delivery', 'Its message is being published.', { at: later }],
  [
    { status: 'failed', callback: { dueAt: later, attempts: 1 } },
    free,
    'callback',
    'A callback is sent after a pause; 1 attempt so far.',
    { at: later },
  ],
  [
    { status: 'succeeded', callback: { dueAt: now, attempts: 6 } },
    free,
    'callback',
    'A callback is overdue after 6 attempts: its receiver is busy, or sending to it pauses since it failed.',
    {},
  ],
] as const)('%j with executors %j waits: %s', (changes, executors, reason, text, more) => {
  expect(waitingReason({ ...facts, ...changes }, executors, now)).toMatchObject({ reason, text, ...more });
});

test('a run that is executed or has ended waits for nothing', () => {
  for (const status of ['running', 'succeeded', 'failed', 'dead'] as const)
    expect(waitingReason({ ...facts, status }, free, now)).toBeNull();
});

test('a run without a record waits for an executor until one has it', () => {
  expect(interactiveReason({ pool: 'gpu', attempt: 0 }, { slots: 0, busy: 0 })?.reason).toBe('no_executor');
  expect(interactiveReason({ pool: 'gpu', attempt: 0 }, { slots: 1, busy: 1 })?.reason).toBe(
    'executors_busy',
  );
  expect(interactiveReason({ pool: 'gpu', attempt: 1 }, free)).toBeNull();
});
