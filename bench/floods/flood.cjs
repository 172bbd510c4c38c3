// Floods a system from a process of its own: every connection sends its next request when the one before was answered. Its standard
// input is a FloodOrder as JSON, which can be longer than an argument. Prints how often each status was answered, as JSON; 0 is a
// request without an answer.
const { randomBytes } = require('node:crypto');
const { readFileSync } = require('node:fs');
const { Agent, request } = require('node:http');

/**
 * @typedef {object} FloodRequest
 * @property {string} url
 * @property {string} method
 * @property {Readonly<Record<string, string>>} headers
 * @property {string} [body]
 *
 * @typedef {object} FloodOrder
 * @property {readonly FloodRequest[]} requests Sent in turn.
 * @property {number} connections
 * @property {number} seconds
 * @property {boolean} [hasBadKeys] Whether each request has another key, which does not exist.
 */

/** @type {FloodOrder} */
const { requests, connections, seconds, hasBadKeys = false } = JSON.parse(readFileSync(0, 'utf8'));
const agent = new Agent({ keepAlive: true, maxSockets: connections });
const endsAt = performance.now() + seconds * 1_000;
/** @type {Record<string, number>} */
const statuses = {};

/**
 * @param {FloodRequest} order
 * @returns {Promise<number>}
 */
function send({ url, method, headers, body = '' }) {
  const key = hasBadKeys ? { 'x-api-key': `sk-${randomBytes(32).toString('base64url')}` } : {};
  const length = body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  return new Promise((resolve) => {
    const call = request(url, { agent, method, headers: { ...headers, ...key, ...length } }, (response) => {
      response.resume();
      response.once('close', () => resolve(response.complete ? (response.statusCode ?? 0) : 0));
    });
    call.once('error', () => resolve(0));
    call.end(body);
  });
}

/** @param {number} first */
async function flood(first) {
  for (let number = first; performance.now() < endsAt; number += 1) {
    const order = requests[number % requests.length];
    if (order === undefined) return;
    const status = await send(order);
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
}

void Promise.all(Array.from({ length: connections }, (_, number) => flood(number))).then(() => {
  agent.destroy();
  process.stdout.write(`${JSON.stringify(statuses)}\n`);
});
