import { HttpFailure } from './http-failure';
import type { HttpAnswer } from './http-call';

const firstDelayMilliseconds = 250;
const maximumRetryAfterMilliseconds = 20_000;
const transientStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504, 529]);
const retryAfterStatuses: ReadonlySet<number> = new Set([429, 503]);

export interface CallState {
  /** The number of retries so far. */
  readonly retries: number;
  readonly repeatable: boolean;
  readonly maximumRetries: number;
  /** The remaining time of the run. */
  readonly remainingMilliseconds: number;
  /** A random number between 0 and 1, for the jitter of delays. */
  readonly random: number;
  readonly now: Date;
}

/** The part of an answer that is available before its body is read. */
type Outcome = Pick<HttpAnswer, 'status' | 'headers'>;

/**
 * Returns the delay in milliseconds before a retry; null for no retry. A call that is not repeatable is retried only
 * when it cannot have had an effect: the server was not reached, or rejected the call with a Retry-After header.
 */
export function retryDelay(outcome: Outcome | HttpFailure, attempt: CallState): number | null {
  if (attempt.retries >= attempt.maximumRetries) return null;
  const delay =
    outcome instanceof HttpFailure ? afterFailure(outcome, attempt) : afterAnswer(outcome, attempt);
  return delay !== null && delay < attempt.remainingMilliseconds ? delay : null;
}

function afterFailure({ reason, neverSent }: HttpFailure, attempt: CallState): number | null {
  return reason === 'unreachable' && (neverSent || attempt.repeatable) ? jitteredBackoff(attempt) : null;
}

function afterAnswer({ status, headers }: Outcome, attempt: CallState): number | null {
  if (!transientStatuses.has(status)) return null;
  const requestedDelay = retryAfterStatuses.has(status)
    ? retryAfter(headers.get('retry-after'), attempt.now)
    : null;
  if (requestedDelay !== null)
    return requestedDelay <= maximumRetryAfterMilliseconds ? requestedDelay + jitteredBackoff(attempt) : null;
  return attempt.repeatable ? jitteredBackoff(attempt) : null;
}

function jitteredBackoff({ retries, random }: CallState): number {
  return Math.round(firstDelayMilliseconds * 2 ** retries * (0.5 + random / 2));
}

/** Returns the delay of a Retry-After header, in seconds or as a date, in milliseconds; null when it is invalid. */
function retryAfter(header: string | null, now: Date): number | null {
  if (header === null) return null;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, date - now.getTime());
}
