import type { RetryRule } from '@millrace/flow';
import { decideAfterAttempt } from './decide-after-attempt';
import type { AttemptDecision } from './decide-after-attempt';

const failure = (code: string) => ({ code, message: 'no', vertex: null, problems: [] });
const outcomes = {
  succeeded: { status: 'succeeded', failure: null, byOutage: false },
  failed: { status: 'failed', failure: failure('component_failed'), byOutage: false },
  permanent: { status: 'failed', failure: failure('component_failed'), byOutage: false, isPermanent: true },
  outage: { status: 'failed', failure: failure('database_unavailable'), byOutage: true },
  cancelled: { status: 'cancelled', failure: failure('cancelled'), byOutage: false },
  timed_out: { status: 'timed_out', failure: failure('deadline_exceeded'), byOutage: false },
  dead: { status: 'dead', failure: failure('attempts_exhausted'), byOutage: false },
} as const;
type Outcome = keyof typeof outcomes;

const rule: RetryRule = { attempts: 2, backoffSeconds: 4 };
const claims = {
  'no claim': null,
  'a claim': { attempt: 1, answers: 0, retries: 0, retry: null },
  'a claim with a retry rule': { attempt: 1, answers: 0, retries: 0, retry: rule },
  'a claim whose rule is used up': { attempt: 2, answers: 0, retries: 1, retry: rule },
  'a claim for the ninth attempt': { attempt: 9, answers: 0, retries: 0, retry: null },
  'a claim for the tenth attempt': { attempt: 10, answers: 0, retries: 0, retry: null },
  'a claim for the tenth attempt, after a pause': { attempt: 10, answers: 1, retries: 0, retry: null },
  'a claim for the tenth attempt, one of them by the rule': {
    attempt: 10,
    answers: 0,
    retries: 1,
    retry: null,
  },
} as const;
type Claim = keyof typeof claims;

const kindOf = (decision: AttemptDecision) =>
  decision.kind === 'release' ? `release after ${decision.cause}` : decision.kind;

test.each<[Outcome, 'cancelled' | 'fenced' | 'shutdown' | null, Claim, string]>([
  // Without an abort.
  ['succeeded', null, 'no claim', 'complete'],
  ['succeeded', null, 'a claim', 'complete'],
  ['failed', null, 'no claim', 'complete'],
  ['failed', null, 'a claim', 'complete'],
  ['timed_out', null, 'a claim with a retry rule', 'complete'],
  ['dead', null, 'a claim with a retry rule', 'complete'],
  // The retry rule of the flow.
  ['failed', null, 'a claim with a retry rule', 'retry'],
  ['failed', null, 'a claim whose rule is used up', 'complete'],
  ['permanent', null, 'a claim with a retry rule', 'complete'],
  ['permanent', 'shutdown', 'a claim with a retry rule', 'release after shutdown'],
  // An outage: a waiting caller gets the error; a claimed run is attempted again, at most ten times.
  ['outage', null, 'no claim', 'complete'],
  ['outage', null, 'a claim', 'release after outage'],
  ['outage', null, 'a claim with a retry rule', 'release after outage'],
  ['outage', null, 'a claim for the ninth attempt', 'release after outage'],
  ['outage', null, 'a claim for the tenth attempt', 'complete'],
  ['outage', null, 'a claim for the tenth attempt, after a pause', 'release after outage'],
  ['outage', null, 'a claim for the tenth attempt, one of them by the rule', 'release after outage'],
  // A cancellation.
  ['cancelled', 'cancelled', 'no claim', 'complete'],
  ['cancelled', 'cancelled', 'a claim with a retry rule', 'complete'],
  ['succeeded', 'cancelled', 'a claim', 'complete'],
  // A shutdown: only a success that was reached in time is kept.
  ['succeeded', 'shutdown', 'no claim', 'complete'],
  ['succeeded', 'shutdown', 'a claim', 'complete'],
  ['cancelled', 'shutdown', 'no claim', 'release after shutdown'],
  ['cancelled', 'shutdown', 'a claim', 'release after shutdown'],
  ['failed', 'shutdown', 'no claim', 'release after shutdown'],
  ['failed', 'shutdown', 'a claim with a retry rule', 'release after shutdown'],
  ['outage', 'shutdown', 'a claim for the tenth attempt', 'release after shutdown'],
  ['timed_out', 'shutdown', 'a claim', 'release after shutdown'],
  // Another attempt owns the run: even a success is dropped.
  ['succeeded', 'fenced', 'a claim', 'discard'],
  ['failed', 'fenced', 'a claim with a retry rule', 'discard'],
  ['outage', 'fenced', 'a claim', 'discard'],
])('%s, aborted as %s, with %s: %s', (outcome, abortReason, claim, kind) => {
  expect(kindOf(decideAfterAttempt(outcomes[outcome], abortReason, claims[claim], 0))).toBe(kind);
});

test('the pause of a retry is that of the rule, shortened at random', () => {
  const pauseOf = (random: number) =>
    decideAfterAttempt(outcomes.failed, null, claims['a claim with a retry rule'], random);
  expect(pauseOf(0)).toEqual({ kind: 'retry', pauseMilliseconds: 4_000 });
  expect(pauseOf(1)).toEqual({ kind: 'retry', pauseMilliseconds: 2_000 });
});
