// Sends one message of a queue to the webhook of a flow. The bridges of this folder share it; docs/use/bridges.md explains them.
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

/** Answers that concern the message itself: the same message would be refused again. */
const REFUSING = new Set([400, 413, 415, 422]);
/** Shorter than the time after which a queue delivers a message again. */
const ANSWER_MILLISECONDS = 15_000;
/** Millrace ignores longer ids. */
const MAXIMUM_KEY_LENGTH = 255;
const FIRST_PAUSE_MILLISECONDS = 500;
const MAXIMUM_PAUSE_MILLISECONDS = 60_000;

/**
 * @typedef {object} Delivery
 * @property {string} key What identifies the message: the same for each of its deliveries, and of no other message.
 * @property {Uint8Array | string} body
 * @property {string} [contentType]
 *
 * @typedef {{ readonly outcome: 'accepted' }
 *   | { readonly outcome: 'refused', readonly reason: string }
 *   | { readonly outcome: 'failed', readonly reason: string, readonly retryAfterMilliseconds: number }} Outcome
 */

/**
 * Returns a function that sends a message. It resolves to `accepted` after a 202: the run is stored, and the message can be
 * acknowledged. `refused` is a message that no repetition helps. Everything else is `failed`, to be sent again: servers that
 * do not answer, are busy (429) or fail (5xx), and a wrong key or address (401, 403, 404), which is no fault of the message.
 * @param {{ readonly url: string, readonly apiKey?: string }} webhook
 * @returns {(delivery: Delivery) => Promise<Outcome>}
 */
export function webhookSender({ url, apiKey }) {
  // Where a flow answers its webhook after the run, this asks for the 202 as well.
  const address = new URL(url);
  address.searchParams.set('wait', '0');
  return async ({ key, body, contentType = 'application/json' }) => {
    const headers = {
      'content-type': contentType,
      'idempotency-key': shortKey(key),
      ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }),
    };
    try {
      const response = await fetch(address, {
        method: 'POST',
        headers,
        body: bytesOf(body),
        redirect: 'manual',
        signal: AbortSignal.timeout(ANSWER_MILLISECONDS),
      });
      const text = await response.text();
      if (response.status === 202) return { outcome: 'accepted' };
      const reason = `${response.status} ${text.slice(0, 500)}`;
      if (REFUSING.has(response.status)) return { outcome: 'refused', reason };
      const seconds = Number(response.headers.get('retry-after') ?? 0);
      return { outcome: 'failed', reason, retryAfterMilliseconds: seconds > 0 ? seconds * 1_000 : 0 };
    } catch (error) {
      return { outcome: 'failed', reason: reasonOf(error), retryAfterMilliseconds: 0 };
    }
  };
}

/**
 * Returns how long to wait before a message is sent again: from 0.5 s, doubled with each attempt up to 60 s, shortened by
 * jitter by up to half, and not less than the server asked for, within the same 60 s.
 * @param {number} attempt 1 after the first one
 * @param {number} [retryAfterMilliseconds]
 */
export function pauseAfter(attempt, retryAfterMilliseconds = 0) {
  const doubled = FIRST_PAUSE_MILLISECONDS * 2 ** Math.min(attempt - 1, 10);
  const jittered = Math.min(doubled, MAXIMUM_PAUSE_MILLISECONDS) * (1 - Math.random() / 2);
  return Math.round(Math.max(jittered, Math.min(retryAfterMilliseconds, MAXIMUM_PAUSE_MILLISECONDS)));
}

/**
 * Returns the variables of the environment that every bridge reads. Ends the process with 78 when one is missing.
 * @param {...string} names further variables that are needed
 */
export function readSettings(...names) {
  const missing = ['WEBHOOK_URL', ...names].filter((name) => !process.env[name]);
  if (missing.length > 0) {
    console.error(`Not set: ${missing.join(', ')}`);
    process.exit(78);
  }
  const { WEBHOOK_URL = '', MILLRACE_API_KEY, IN_FLIGHT = '16' } = process.env;
  return {
    webhook: { url: WEBHOOK_URL, apiKey: MILLRACE_API_KEY },
    inFlight: Math.max(1, Number(IN_FLIGHT) || 1),
  };
}

/**
 * Returns a signal that SIGTERM or SIGINT aborts. A second one ends the process at once, as does a stop that takes longer
 * than 30 s: messages that are not acknowledged are delivered again.
 */
export function stopSignal() {
  const stop = new AbortController();
  const onSignal = () => {
    if (stop.signal.aborted) process.exit(1);
    stop.abort();
    setTimeout(() => process.exit(1), 30_000).unref();
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  return stop.signal;
}

/**
 * Resolves after this time, or at once when the signal is aborted.
 * @param {number} milliseconds
 * @param {AbortSignal} signal
 */
export async function pauseUnless(milliseconds, signal) {
  await pause(milliseconds, undefined, { signal }).catch(() => undefined);
}

/**
 * Writes a line of JSON to standard output.
 * @param {string} event
 * @param {object} [facts]
 */
export function log(event, facts = {}) {
  console.log(JSON.stringify({ time: new Date().toISOString(), event, ...facts }));
}

/** @param {unknown} error */
export function reasonOf(error) {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}

/** @param {string} key */
function shortKey(key) {
  // Headers have Latin letters only.
  const text = encodeURI(key);
  return text.length <= MAXIMUM_KEY_LENGTH
    ? text
    : `sha256:${createHash('sha256').update(key).digest('hex')}`;
}

/** @param {Uint8Array | string} body */
function bytesOf(body) {
  return typeof body === 'string' ? body : new Blob([/** @type {Uint8Array<ArrayBuffer>} */ (body)]);
}
