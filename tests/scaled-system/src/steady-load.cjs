// Callers that send requests one after the other, and repeat those that are refused, as a client with retries does.
const { randomUUID } = require('node:crypto');
const { setTimeout: pause } = require('node:timers/promises');

/**
 * @typedef {object} LoadForm
 * @property {string} name
 * @property {string} path
 * @property {object} body
 * @property {Readonly<Record<string, string>>} [headers]
 * @property {number} status The status of an accepted request.
 * @property {string} contains A part of the answer.
 * @property {boolean} [isKeyed] With an Idempotency-Key: a request that was cut off is repeated with the same key.
 *
 * @typedef {object} LoadReport
 * @property {number} answered Requests with the right answer.
 * @property {readonly string[]} runIds The runs that were accepted durably.
 * @property {readonly string[]} faults Wrong answers, and requests that were refused for too long.
 * @property {number} refused How often a request was refused or cut off.
 * @property {number} longestRefusalMilliseconds From the first refusal of a request to its answer.
 *
 * @typedef {object} SteadyLoad
 * @property {() => LoadReport} take The report since the start or the last call.
 * @property {() => Promise<LoadReport>} stop Waits for the answers that are due.
 */

const BETWEEN_TRIES_MILLISECONDS = 50;
const GIVE_UP_MILLISECONDS = 60_000;
const ANSWER_WITHIN_MILLISECONDS = 60_000;
/** Answers that ask for a repetition. */
const REFUSALS = new Set([429, 502, 503]);

/**
 * @param {{ readonly url: () => string, readonly key: string, readonly callers: number, readonly forms: readonly LoadForm[] }} options
 * @returns {SteadyLoad}
 */
module.exports.startSteadyLoad = function startSteadyLoad({ url, key, callers, forms }) {
  let counts = newCounts();
  let isStopped = false;
  /** @param {LoadForm} form */
  const send = async ({ name, path, body, headers = {}, status, contains, isKeyed = false }) => {
    const sent = {
      method: 'POST',
      headers: {
        'x-api-key': key,
        'content-type': 'application/json',
        ...(isKeyed ? { 'idempotency-key': randomUUID() } : {}),
        ...headers,
      },
      body: JSON.stringify(body),
    };
    let refusedAt = NaN;
    for (;;) {
      const { answer, refusal } = await tryOnce(`${url()}${path}`, sent);
      if (answer !== undefined) {
        if (!Number.isNaN(refusedAt))
          counts.longestRefusalMilliseconds = Math.max(
            counts.longestRefusalMilliseconds,
            performance.now() - refusedAt,
          );
        if (answer.status !== status || !answer.text.includes(contains))
          return void counts.faults.push(`${name}: ${answer.status} ${answer.text.slice(0, 300)}`);
        counts.answered += 1;
        const runId = status === 202 ? JSON.parse(answer.text).run_id : undefined;
        return void (runId && counts.runIds.push(runId));
      }
      counts.refused += 1;
      if (Number.isNaN(refusedAt)) refusedAt = performance.now();
      if (performance.now() - refusedAt > GIVE_UP_MILLISECONDS)
        return void counts.faults.push(`${name}: refused for too long: ${refusal}`);
      await pause(BETWEEN_TRIES_MILLISECONDS);
    }
  };
  const calling = Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      for (let turn = caller; !isStopped; turn += 1) {
        const form = forms[turn % forms.length];
        if (form !== undefined) await send(form);
      }
    }),
  );
  const take = () => {
    const taken = counts;
    counts = newCounts();
    return taken;
  };
  return {
    take,
    async stop() {
      isStopped = true;
      await calling;
      return take();
    },
  };
};

function newCounts() {
  return {
    answered: 0,
    /** @type {string[]} */
    runIds: [],
    /** @type {string[]} */
    faults: [],
    refused: 0,
    longestRefusalMilliseconds: 0,
  };
}

/**
 * @param {string} url
 * @param {RequestInit} init
 * @returns {Promise<{ answer?: { status: number, text: string }, refusal?: string }>}
 */
async function tryOnce(url, init) {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(ANSWER_WITHIN_MILLISECONDS) });
    const text = await response.text();
    return REFUSALS.has(response.status)
      ? { refusal: `${response.status} ${text.slice(0, 200)}` }
      : { answer: { status: response.status, text } };
  } catch (error) {
    return { refusal: String(error) };
  }
}
