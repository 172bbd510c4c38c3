import { jsonOf } from './model-recorder.mjs';

/** @import { Json } from './case.ts' */

/**
 * Reads a stream of events in any of Langflow's forms: the order of names, where tokens in a row are one, the joined tokens,
 * and the data of the others by name.
 * @param {string} text
 */
export function readEvents(text) {
  /** @type {string[]} */
  const order = [];
  /** @type {Record<string, Json[]>} */
  const data = {};
  let tokens = '';
  let named = '';
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith('event:')) named = line.slice(6).trim();
    if (line.trim() === '' || /^(id:|event:|:|retry:)/.test(line)) continue;
    const value = jsonOf(line.replace(/^data: ?/, ''));
    const { name, content } = eventOf(value, named);
    named = '';
    if (name !== order.at(-1)) order.push(name);
    const chunk = objectOf(content).chunk;
    if (name === 'token' && typeof chunk === 'string') tokens += chunk;
    else (data[name] ??= []).push(content);
  }
  return { order, tokens, data };
}

/**
 * @param {Json} value
 * @param {string} named
 * @returns {{ readonly name: string, readonly content: Json }}
 */
function eventOf(value, named) {
  const event = objectOf(value);
  if (typeof event.event === 'string') return { name: event.event, content: event.data ?? null };
  const name = [named, event.type, event.object, event.event].find(
    (text) => typeof text === 'string' && text !== '',
  );
  return {
    name: typeof name === 'string' ? name : typeof value === 'string' ? value : 'data',
    content: value,
  };
}

/**
 * @param {Json | undefined} value
 * @returns {Readonly<Record<string, Json | undefined>>}
 */
export function objectOf(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? /** @type {Readonly<Record<string, Json | undefined>>} */ (value)
    : {};
}
