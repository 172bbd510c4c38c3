// An open loop: requests are sent at a fixed rate, independent of the answers to earlier ones, so that a slow answer
// cannot hide the requests that it delayed.
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { quantile } from '../rounds.mjs';

/** @import { Figures } from '../scenario.ts' */

/**
 * @typedef {Readonly<Record<string, string>>} Headers
 *
 * @typedef {object} OpenLoad
 * @property {string} url
 * @property {Headers | (() => Headers)} [headers]
 * @property {unknown} body
 * @property {number} perSecond
 * @property {number} seconds
 * @property {number} [expectedStatus]
 * @property {number} [connections]
 *
 * @typedef {Figures & { readonly p50: number, readonly p99: number, readonly worst: number }} OpenFigures
 */

/**
 * Sends `perSecond` requests for `seconds` over at most `connections` connections; resolves to { p50, p99, worst, errors,
 * requests }, in milliseconds from the time when each request was due. An answer that is not 2xx, or does not have
 * `expectedStatus` if given, is an error. `headers` can be a function that returns the headers of each request.
 * @param {OpenLoad} load
 * @returns {Promise<OpenFigures>}
 */
export async function openLoop({
  url,
  headers,
  body,
  perSecond,
  seconds,
  expectedStatus,
  connections = 1_024,
}) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const text = JSON.stringify(body);
  const total = Math.max(1, Math.round(perSecond * seconds));
  const started = performance.now();
  /** @type {Promise<{ readonly ok: boolean, readonly milliseconds: number }>[]} */
  const answers = [];
  for (let number = 0; number < total; number += 1) {
    const due = started + (number * 1_000) / perSecond;
    const early = due - performance.now();
    if (early > 0) await pause(early);
    answers.push(
      send(url, {
        agent,
        headers: typeof headers === 'function' ? headers() : headers,
        text,
      }).then((status) => ({
        ok: expectedStatus === undefined ? status >= 200 && status < 300 : status === expectedStatus,
        milliseconds: performance.now() - due,
      })),
    );
  }
  const results = await Promise.all(answers);
  agent.destroy();
  const times = results.map(({ milliseconds }) => milliseconds).sort((left, right) => left - right);
  return {
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    worst: quantile(times, 1),
    errors: results.filter(({ ok }) => !ok).length,
    requests: total,
  };
}

/**
 * @param {string} url
 * @param {{ readonly agent: Agent, readonly headers: Headers | undefined, readonly text: string }} options
 * @returns {Promise<number>} the status; 0 without an answer
 */
function send(url, { agent, headers, text }) {
  return new Promise((resolve) => {
    const call = request(
      url,
      {
        agent,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...headers,
          'content-length': Buffer.byteLength(text),
        },
        timeout: 60_000,
      },
      (response) => response.resume().once('end', () => resolve(response.statusCode ?? 0)),
    );
    call.once('error', () => resolve(0));
    call.once('timeout', () => call.destroy());
    call.end(text);
  });
}
