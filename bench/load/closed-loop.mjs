// A closed loop: each connection sends its next request when it has the answer to the one before.
import autocannon from 'autocannon';
import { quantile } from '../rounds.mjs';
import { Answers } from './answers.mjs';

/** @import { Request, Result } from 'autocannon' */
/** @import { LoadFigures } from '../scenario.ts' */

/**
 * @typedef {object} ClosedLoad
 * @property {string} url
 * @property {Readonly<Record<string, string>>} [headers]
 * @property {unknown} [body]
 * @property {number} connections
 * @property {number} [seconds]
 * @property {number} [amount]
 * @property {readonly Request[]} [requests]
 * @property {number} [refusal]
 * @property {string} [expected]
 * @property {number} [timeoutSeconds] of each request
 */

const SHOWN_CHARACTERS = 300;

/**
 * Runs the loop for `seconds`, or for an `amount` of requests, and resolves to { perSecond, p50, p99, errors, requests },
 * times in milliseconds. An answer that is not 2xx or lacks the text `expected` is an error, described in `problems`; no
 * answers at all are one error. Answers of the status `refusal` are counted as `refused` instead. Every connection sends
 * `requests`, each { path, headers }, in turn; connections start at different ones.
 * @param {ClosedLoad} load
 * @returns {Promise<LoadFigures & { readonly refused?: number }>}
 */
export async function closedLoop({ requests, refusal, expected, ...load }) {
  /** @type {string | undefined} */
  let unexpected;
  /** @param {string} text */
  const verifyBody = (text) => {
    const isExpected = expected === undefined || text.includes(expected);
    if (!isExpected) unexpected ??= text.slice(0, SHOWN_CHARACTERS);
    return isExpected;
  };
  const { url, headers, body, connections, seconds, amount, timeoutSeconds = 60 } = load;
  const answers = new Answers(amount === undefined ? Infinity : Math.floor(amount / connections));
  let offset = 0;
  const result = await autocannon({
    url,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    connections,
    timeout: timeoutSeconds,
    ...(amount === undefined ? { duration: seconds } : { amount }),
    ...(expected === undefined ? {} : { verifyBody }),
    setupClient: (client) => {
      answers.follow(client);
      if (requests !== undefined) client.setRequests(turnsFrom(requests, (offset += 1), connections));
    },
  });
  const refused = (refusal === undefined ? undefined : result.statusCodeStats[refusal]?.count) ?? 0;
  const times = answers.sortedTimes();
  return {
    perSecond:
      amount === undefined ? (result.requests.total - refused) / result.duration : answers.perSecond(),
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    // A refusal is also counted as a mismatch.
    errors:
      result.errors +
      Math.max(result.non2xx, result.mismatches) -
      refused +
      (result.requests.total === 0 ? 1 : 0),
    ...problems(result, unexpected, refused),
    ...(refusal === undefined ? {} : { refused }),
    requests: result.requests.total,
  };
}

/**
 * Returns the requests rotated, so that each connection starts at a different one.
 * @param {readonly Request[]} requests
 * @param {number} connection
 * @param {number} connections
 * @returns {Request[]}
 */
function turnsFrom(requests, connection, connections) {
  const first = Math.floor((requests.length * connection) / connections) % requests.length;
  const turns = [...requests.slice(first), ...requests.slice(0, first)];
  return turns.map((request) => ({ method: 'POST', ...request }));
}

/**
 * Returns a summary of errors, which include timeouts; `unexpected` is the first unexpected answer.
 * @param {Result} result
 * @param {string | undefined} unexpected
 * @param {number} refused
 */
function problems({ errors, timeouts, mismatches, non2xx, statusCodeStats }, unexpected, refused) {
  if (errors + Math.max(non2xx, mismatches) === refused) return {};
  return {
    problems: JSON.stringify({ errors, timeouts, mismatches, statuses: statusCodeStats, unexpected }),
  };
}
