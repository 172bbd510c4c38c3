import { jsonOf } from './model-recorder.mjs';
import { objectOf } from './read-events.mjs';

/** @import { Answer, Json, JsonObject } from './case.ts' */

/**
 * Opens a stream of events, and sends messages one after the other to the endpoint that the first event names. Each message
 * with an id waits for the event with its answer. The body of the answer has the statuses of the messages and the events.
 * @param {{ readonly origin: string, readonly path: string, readonly key: string, readonly messages: readonly JsonObject[],
 *   readonly timeout: number }} options
 * @returns {Promise<Answer>}
 */
export async function exchangeMessages({ origin, path, key, messages, timeout }) {
  const ended = new AbortController();
  const signal = AbortSignal.any([ended.signal, AbortSignal.timeout(timeout)]);
  try {
    const response = await fetch(`${origin}${path}`, { headers: { 'x-api-key': key }, signal });
    const headers = { 'content-type': response.headers.get('content-type') ?? '' };
    if (!response.ok || response.body === null)
      return { status: response.status, headers, body: jsonOf(await response.text()) };
    const events = eventsOf(response.body);
    const endpoint = await nextNamed(events, 'endpoint');
    /** @type {number[]} */
    const statuses = [];
    /** @type {Json[]} */
    const answers = [];
    for (const message of messages) {
      const sent = await fetch(new URL(String(endpoint), origin), {
        method: 'POST',
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        body: JSON.stringify(message),
        signal,
      });
      await sent.arrayBuffer();
      statuses.push(sent.status);
      while (sent.ok && message.id !== undefined) {
        const answer = await nextNamed(events, 'message');
        answers.push(answer);
        if (objectOf(answer).id === message.id) break;
      }
    }
    return { status: response.status, headers, body: { statuses, answers } };
  } catch (error) {
    return { status: 0, headers: {}, body: error instanceof Error ? error.name : 'failed' };
  } finally {
    ended.abort();
  }
}

/**
 * @param {AsyncGenerator<{ readonly name: string, readonly data: string }, void>} events
 * @param {string} name
 * @returns {Promise<Json>}
 */
async function nextNamed(events, name) {
  for (;;) {
    const next = await events.next();
    if (next.done === true) throw new Error(`the stream ended without an event "${name}"`);
    if (next.value.name === name) return jsonOf(next.value.data);
  }
}

/**
 * @param {ReadableStream<Uint8Array>} body
 * @returns {AsyncGenerator<{ readonly name: string, readonly data: string }, void>}
 */
async function* eventsOf(body) {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true }).replaceAll('\r', '');
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const lines = text.slice(0, end).split('\n');
      text = text.slice(end + 2);
      const valueOf = (/** @type {string} */ field) =>
        lines.flatMap((line) => (line.startsWith(`${field}:`) ? [line.slice(field.length + 1).trim()] : []));
      yield { name: valueOf('event')[0] ?? 'message', data: valueOf('data').join('\n') };
    }
  }
}
