import type { RetryRule } from '@millrace/flow';
import type { RunFailure } from '@millrace/messages';
import type { ClaimedRun } from '@millrace/runs';
import type { AbortReason } from '../attempts/running-attempts';
import type { AttemptOutcome, Suspension } from '../attempts/attempt-outcome';

/** Why an executor returns the job of a run to its queue after an attempt. */
export type ReleaseCause = 'shutdown' | 'outage';

/**
 * Attempts that fail because of an outage do not count as attempts of the run. This limit ends the run all the same, so
 * that a long outage does not repeat it indefinitely. Retries by the retry rule of the flow are not included, nor attempts that
 * waited for a person.
 */
const MAXIMUM_ATTEMPTS_WITHOUT_RETRIES = 10;

/**
 * What an executor does after an attempt:
 *
 * - `suspend`: the run waits until a person has answered
 * - `complete`: it ends the run with the outcome of the attempt
 * - `retry`: it schedules another attempt after the pause, by the retry rule of the flow
 * - `release`: it returns the job to its queue, for this or another executor; the attempt does not count
 * - `discard`: it drops the outcome, because another attempt has the claim on the run
 */
export type AttemptDecision =
  | { readonly kind: 'complete' }
  | { readonly kind: 'suspend'; readonly suspension: Suspension }
  | { readonly kind: 'retry'; readonly pauseMilliseconds: number }
  | { readonly kind: 'release'; readonly cause: ReleaseCause }
  | { readonly kind: 'discard' };

const COMPLETE: AttemptDecision = { kind: 'complete' };

/**
 * Decides what the executor does after an attempt. `claim` is null for an interactive run: its caller gets the failure,
 * without a retry. `random`, from 0 to 1, is the jitter of the pause before a retry.
 */
export function decideAfterAttempt(
  {
    status,
    failure,
    byOutage,
    isPermanent,
    suspension,
  }: Pick<AttemptOutcome, 'status' | 'failure' | 'byOutage' | 'isPermanent' | 'suspension'>,
  abortReason: AbortReason | null,
  claim: Pick<ClaimedRun, 'attempt' | 'answers' | 'retries' | 'retry'> | null,
  random: number,
): AttemptDecision {
  if (abortReason === 'fenced') return { kind: 'discard' };
  if (suspension !== undefined) return { kind: 'suspend', suspension };
  if (status === 'succeeded') return COMPLETE;
  if (abortReason === 'shutdown') return { kind: 'release', cause: 'shutdown' };
  if (claim === null) return COMPLETE;
  const { attempt, answers, retries, retry } = claim;
  if (byOutage && attempt - retries - (answers ?? 0) < MAXIMUM_ATTEMPTS_WITHOUT_RETRIES)
    return { kind: 'release', cause: 'outage' };
  if (isPermanent) return COMPLETE;
  const pauseMilliseconds = pauseBeforeRetry(retry, { failure, retries }, random);
  return pauseMilliseconds === null ? COMPLETE : { kind: 'retry', pauseMilliseconds };
}

const BACKOFF_SECONDS = 5;
const MAXIMUM_BACKOFF_SECONDS = 300;
const RETRIED_CODES: readonly string[] = ['component_failed', 'internal', 'python_busy'];

/**
 * Returns the pause before the next attempt, in milliseconds; null when the rule does not allow another attempt.
 * `random`, from 0 to 1, shortens the pause by up to half, so that runs that failed together are not retried together.
 */
export function pauseBeforeRetry(
  rule: RetryRule | null,
  { failure, retries }: { readonly failure: RunFailure | null; readonly retries: number },
  random: number,
): number | null {
  if (!rule || !failure || retries + 1 >= rule.attempts) return null;
  if (!(rule.on ?? RETRIED_CODES).some((code) => code === failure.code)) return null;
  const { backoffSeconds = BACKOFF_SECONDS, maximumBackoffSeconds = MAXIMUM_BACKOFF_SECONDS } = rule;
  const seconds = Math.min(backoffSeconds * 2 ** retries, maximumBackoffSeconds);
  return Math.round(seconds * 1_000 * (1 - random / 2));
}
