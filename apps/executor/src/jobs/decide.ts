import type { ClaimedRun } from '@millrace/runs';
import type { RetryRule } from '@millrace/flow';
import type { RunFailure } from '@millrace/messages';
import type { AbortReason } from '../attempts/running-attempts';
import type { AttemptOutcome } from '../attempts/attempt-outcome';

/** Why an executor gives a run back. */
export type ReleaseCause = 'shutdown' | 'outage';

/** Attempts lost to outages are not counted, but a run that meets an outage every time must still end. */
const MAXIMUM_TOTAL_ATTEMPTS = 10;

/**
 * What follows from the outcome of an attempt:
 *
 * - `complete`: the run ends with this outcome
 * - `retry`: the run is attempted again after the pause, by the retry rule of its flow
 * - `release`: another executor, or this one, attempts the run; this attempt does not count
 * - `discard`: another attempt owns the run, so the outcome is dropped
 */
export type Decision =
  | { readonly kind: 'complete' }
  | { readonly kind: 'retry'; readonly pauseMilliseconds: number }
  | { readonly kind: 'release'; readonly cause: ReleaseCause }
  | { readonly kind: 'discard' };

type DecidedOutcome = Pick<AttemptOutcome, 'status' | 'failure' | 'byOutage' | 'isPermanent'>;

const COMPLETE: Decision = { kind: 'complete' };

/**
 * Decides what follows from the outcome of an attempt. `claim` is null for a run whose caller waits: its failure is
 * reported to the caller, and not retried. `random`, from 0 to 1, shortens the pause before a retry.
 */
export function decide(
  { status, failure, byOutage, isPermanent }: DecidedOutcome,
  abortReason: AbortReason | null,
  claim: Pick<ClaimedRun, 'attempt' | 'retries' | 'retry'> | null,
  random: number,
): Decision {
  if (abortReason === 'fenced') return { kind: 'discard' };
  if (status === 'succeeded') return COMPLETE;
  if (abortReason === 'shutdown') return { kind: 'release', cause: 'shutdown' };
  if (claim === null) return COMPLETE;
  const { attempt, retries, retry } = claim;
  if (byOutage && attempt - retries < MAXIMUM_TOTAL_ATTEMPTS) return { kind: 'release', cause: 'outage' };
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
