import type { RetryRule } from '@millrace/flow';
import type { RunFailure } from '@millrace/messages';

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
