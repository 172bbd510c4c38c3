import { HttpFailure } from './http-failure';
import type { HttpAnswer } from './http-call';

const firstDelayMilliseconds = 250;
const longestWaitMilliseconds = 20_000;
const passingStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504, 529]);
const askedToWait: ReadonlySet<number> = new Set([429, 503]);

export interface Attempt {
  /** How many were made before this one. */
  readonly retries: number;
  readonly repeatable: boolean;
  readonly maximumRetries: number;
  /** What is left of the run. */
  readonly remainingMilliseconds: number;
  /** Between 0 and 1, for the spread of delays. */
  readonly random: number;
  readonly now: Date;
}

/** What is known of an answer before its body is read. */
type Outcome = Pick<HttpAnswer, 'status' | 'headers'>;

/**
 * After how many milliseconds to make a call again, or null to let what came stand. A call that may do harm twice is
 * made again only when it certainly did nothing: the server was not reached, or refused it and told when to come back.
 */
export function retryDelay(outcome: Outcome | HttpFailure, attempt: Attempt): number | null {
  if (attempt.retries >= attempt.maximumRetries) return null;
  const delay =
    outcome instanceof HttpFailure ? afterFailure(outcome, attempt) : afterAnswer(outcome, attempt);
  return delay !== null && delay < attempt.remainingMilliseconds ? delay : null;
}

function afterFailure({ reason, neverSent }: HttpFailure, attempt: Attempt): number | null {
  return reason === 'unreachable' && (neverSent || attempt.repeatable) ? spread(attempt) : null;
}

function afterAnswer({ status, headers }: Outcome, attempt: Attempt): number | null {
  if (!passingStatuses.has(status)) return null;
  const told = askedToWait.has(status) ? retryAfter(headers.get('retry-after'), attempt.now) : null;
  if (told !== null) return told <= longestWaitMilliseconds ? told + spread(attempt) : null;
  return attempt.repeatable ? spread(attempt) : null;
}

function spread({ retries, random }: Attempt): number {
  return Math.round(firstDelayMilliseconds * 2 ** retries * (0.5 + random / 2));
}

/** Milliseconds until the time that a Retry-After header names, in seconds or as a date. */
function retryAfter(header: string | null, now: Date): number | null {
  if (header === null) return null;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, date - now.getTime());
}
