// A closed loop of streamed answers that counts their tokens.
import { quantile } from '../rounds.mjs';

/** @import { LoadFigures } from '../scenario.ts' */

/**
 * @typedef {object} StreamTarget
 * @property {string} url
 * @property {Readonly<Record<string, string>>} [headers]
 * @property {unknown} body
 * @property {string} token
 *
 * @typedef {{ readonly tokens: number, readonly firstToken?: number, readonly milliseconds?: number }} StreamAnswer
 */

/**
 * Resolves to { perSecond, tokensPerSecond, firstToken, p50, p99, errors, requests }: times in milliseconds, to the first
 * token (median) and of whole answers. `token` is the text with which every token of this server begins; an answer without
 * exactly `tokens` of them is an error.
 * @param {StreamTarget & { readonly connections: number, readonly seconds: number, readonly tokens: number }} load
 * @returns {Promise<LoadFigures & { readonly tokensPerSecond: number, readonly firstToken: number }>}
 */
export async function streamLoop({ url, headers, body, connections, seconds, token, tokens }) {
  const started = performance.now();
  const end = started + seconds * 1_000;
  /** @type {StreamAnswer[]} */
  const answers = [];
  const ask = async () => {
    while (performance.now() < end)
      answers.push(await readStream({ url, headers, body, token }).catch(() => ({ tokens: 0 })));
  };
  await Promise.all(Array.from({ length: connections }, ask));
  const elapsed = (performance.now() - started) / 1_000;
  const whole = answers.filter((answer) => answer.tokens === tokens);
  /** @param {'firstToken' | 'milliseconds'} name */
  const sorted = (name) => whole.map((answer) => answer[name] ?? 0).sort((left, right) => left - right);
  return {
    perSecond: whole.length / elapsed,
    tokensPerSecond: (whole.length * tokens) / elapsed,
    firstToken: quantile(sorted('firstToken'), 0.5),
    p50: quantile(sorted('milliseconds'), 0.5),
    p99: quantile(sorted('milliseconds'), 0.99),
    errors: answers.length - whole.length,
    requests: answers.length,
  };
}

/**
 * @param {StreamTarget} target
 * @returns {Promise<StreamAnswer>}
 */
async function readStream({ url, headers, body, token }) {
  const started = performance.now();
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(60_000),
  });
  const decoder = new TextDecoder();
  /** @type {number | undefined} */
  let firstToken;
  let tokens = 0;
  let rest = '';
  for await (const chunk of response.body ?? []) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split(token);
    // A token can begin in one chunk and continue in the next.
    rest = (parts.pop() ?? '').slice(-token.length + 1);
    tokens += parts.length;
    if (tokens > 0) firstToken ??= performance.now() - started;
  }
  return { tokens, firstToken, milliseconds: performance.now() - started };
}
