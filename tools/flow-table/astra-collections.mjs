import { Readable } from 'node:stream';
import { validKey } from './fill-in.mjs';

const SEEDS = 12;
const guess = { dimension: 32 };

/**
 * Wraps a fake of Astra DB so that every requested collection exists already, as if its author had created it: with
 * vectors as long as the first one received, and a few documents. Until a vector is received their length is a guess.
 */
export function withCollections(handler) {
  const known = new Map();
  const command = (path, body) =>
    new Promise((resolve) => {
      const response = { writeHead: () => response, end: resolve };
      handler(asRequest({ url: path, headers: { token: validKey } }, JSON.stringify(body)), response);
    });
  return async (request, response) => {
    const text = await textOf(request);
    const [, keyspacePath, collection] = /^(\/api\/json\/v1\/[^/]+)\/([^/?]+)/.exec(request.url) ?? [];
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

function asRequest({ url, headers, method = 'POST' }, text) {
  return Object.assign(Readable.from([Buffer.from(text)]), { url, headers, method });
}

async function textOf(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString();
}

/** Returns what a command shows of its collection: the length of vectors, or null if Astra makes them; else undefined. */
function shapeIn(text) {
  const [, numbers] = /"\$vector":\[([^\]]*)\]/.exec(text) ?? [];
  if (numbers !== undefined) return { dimension: numbers.split(',').length };
  return text.includes('"$vectorize"') ? { dimension: null } : undefined;
}

function vectorOptions({ dimension }) {
  if (dimension !== null) return { dimension, metric: 'cosine' };
  return { service: { provider: 'nvidia', modelName: 'NV-Embed-QA' } };
}

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
