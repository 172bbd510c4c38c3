import { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { validKey } from './fill-in.mjs';

/** @import { IncomingMessage } from 'node:http' */
/** @import { Handler } from './load-fakes.mjs' */

/** @typedef {{ readonly dimension: number | null }} Shape The length of vectors; null if Astra makes them. */
/** @typedef {Pick<IncomingMessage, 'url' | 'headers'> & { readonly method?: string }} RequestHead */

const SEEDS = 12;
/** @type {Shape} */
const guess = { dimension: 32 };

/**
 * Wraps a fake of Astra DB so that every requested collection exists already, as if its author had created it: with
 * vectors as long as the first one received, and a few documents. Until a vector is received their length is a guess.
 * @param {Handler} handler
 * @returns {Handler}
 */
export function withCollections(handler) {
  /** @type {Map<string, Shape>} */
  const known = new Map();
  /**
   * @param {string} path
   * @param {unknown} body
   */
  const command = (path, body) =>
    new Promise((resolve) => {
      const request = asRequest({ url: path, headers: { token: validKey } }, JSON.stringify(body));
      const response = new ServerResponse(request);
      response.end = () => {
        resolve(undefined);
        return response;
      };
      handler(request, response);
    });
  return async (request, response) => {
    const text = await textOf(request);
    const [, keyspacePath, collection] = /^(\/api\/json\/v1\/[^/]+)\/([^/?]+)/.exec(request.url ?? '') ?? [];
    const shape = shapeIn(text);
    const isNewShape = !known.has(collection) || (known.get(collection) === guess && shape !== undefined);
    if (collection !== undefined && isNewShape && request.headers.token === validKey) {
      known.set(collection, shape ?? guess);
      const options = { vector: vectorOptions(shape ?? guess) };
      await command(keyspacePath, { createCollection: { name: collection, options } });
      await command(`${keyspacePath}/${collection}`, { insertMany: { documents: seeds(shape ?? guess) } });
    }
    handler(
      asRequest({ url: request.url, headers: request.headers, method: request.method }, text),
      response,
    );
  };
}

/**
 * @param {RequestHead} head
 * @param {string} text
 * @returns {IncomingMessage}
 */
function asRequest({ url, headers, method = 'POST' }, text) {
  const body = Object.assign(Readable.from([Buffer.from(text)]), { url, headers, method });
  return /** @type {IncomingMessage} */ (/** @type {unknown} */ (body));
}

/** @param {AsyncIterable<Uint8Array>} request */
async function textOf(request) {
  /** @type {Uint8Array[]} */
  const parts = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString();
}

/**
 * Returns what a command shows of its collection: the length of vectors, or null if Astra makes them; else undefined.
 * @param {string} text
 * @returns {Shape | undefined}
 */
function shapeIn(text) {
  const [, numbers] = /"\$vector":\[([^\]]*)\]/.exec(text) ?? [];
  if (numbers !== undefined) return { dimension: numbers.split(',').length };
  return text.includes('"$vectorize"') ? { dimension: null } : undefined;
}

/** @param {Shape} shape */
function vectorOptions({ dimension }) {
  if (dimension !== null) return { dimension, metric: 'cosine' };
  return { service: { provider: 'nvidia', modelName: 'NV-Embed-QA' } };
}

/** @param {Shape} shape */
function seeds({ dimension }) {
  return Array.from({ length: SEEDS }, (_, index) => {
    const content = `Document ${index} of a mill, its grain and its bread.`;
    const vector = Array.from({ length: dimension ?? 0 }, (_value, place) =>
      Math.sin(index * 7 + place * 3 + 1),
    );
    const found = dimension === null ? { $vectorize: content } : { $vector: vector };
    return { _id: `seed-${index}`, content, metadata: { number: index }, ...found };
  });
}
