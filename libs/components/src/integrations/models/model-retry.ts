import { isTransientStatus } from '../http/transient-status';

/** A provider can ask for a wait of up to a minute; a longer one is not honoured. */
const MAXIMUM_REQUESTED_MILLISECONDS = 60_000;
const FIRST_DELAY_MILLISECONDS = 500;
const MAXIMUM_DELAY_MILLISECONDS = 8_000;

/** Returns whether OpenAI's clients repeat a call with this answer: as the server says, else by the status. */
export function isTransient({ status, headers }: Pick<Response, 'status' | 'headers'>): boolean {
  const said = headers.get('x-should-retry');
  if (said === 'true' || said === 'false') return said === 'true';
  return isTransientStatus(status);
}

export interface FailedTry {
  /** Null without an answer. */
  readonly headers: Headers | null;
  /** The number of retries so far. */
  readonly retries: number;
  /** A random number between 0 and 1, for the jitter of delays. */
  readonly random: number;
  readonly now: Date;
}

/** Returns how long to wait before a retry, in milliseconds: as the server asks, else exponentially with jitter. */
export function delayBeforeRetry({ headers, retries, random, now }: FailedTry): number {
  const requested = headers === null ? Number.NaN : requestedDelay(headers, now);
  if (requested >= 0 && requested <= MAXIMUM_REQUESTED_MILLISECONDS) return requested;
  const backoff = Math.min(FIRST_DELAY_MILLISECONDS * 2 ** retries, MAXIMUM_DELAY_MILLISECONDS);
  return backoff * (1 - random / 4);
}

function requestedDelay(headers: Headers, now: Date): number {
  const milliseconds = Number.parseFloat(headers.get('retry-after-ms') ?? '');
  if (!Number.isNaN(milliseconds)) return milliseconds;
  const given = headers.get('retry-after') ?? '';
  const seconds = Number.parseFloat(given);
  return Number.isNaN(seconds) ? Date.parse(given) - now.getTime() : seconds * 1_000;
}
