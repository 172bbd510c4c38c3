import { createServer } from 'node:http';
import { once } from 'node:events';
import { portOf } from '@millrace/testing';

/** @import { Json } from './case.ts' */

/**
 * Starts a proxy to the model server that keeps what one side asks, by the API key of the request: each play has its own.
 * @param {string} origin of the model server
 * @param {string} [host]
 * @param {(body: Buffer) => Buffer} [readEmbedding] changes the body of a request of embeddings
 */
export async function startModelRecorder(origin, host = '127.0.0.1', readEmbedding = (body) => body) {
  /** @type {Map<string, Json[]>} */
  const asked = new Map();
  const server = createServer((request, response) => {
    /** @type {Buffer[]} */
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const sent = Buffer.concat(chunks);
      const body = request.url?.endsWith('/embeddings') === true ? readEmbedding(sent) : sent;
      const named = request.headers['x-api-key'] ?? request.headers['x-goog-api-key'] ?? '';
      const key = request.headers.authorization?.replace(/^Bearer /, '') ?? String(named);
      asked.set(key, [...(asked.get(key) ?? []), { path: request.url ?? '', body: jsonOf(body.toString()) }]);
      forward(request, body, response).catch(() => response.destroy());
    });
  });
  /**
   * @param {import('node:http').IncomingMessage} request
   * @param {Buffer} body
   * @param {import('node:http').ServerResponse} response
   */
  async function forward(request, body, response) {
    const answer = await fetch(`${origin}${request.url}`, {
      method: request.method,
      headers: { 'content-type': 'application/json' },
      body: request.method === 'GET' ? undefined : new Uint8Array(body),
    });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    if (answer.body !== null) for await (const chunk of answer.body) response.write(chunk);
    response.end();
  }
  server.listen(0, host);
  await once(server, 'listening');
  return {
    url: `http://${host}:${portOf(server)}/v1`,
    /**
     * Returns what was asked with a key, and forgets it.
     * @param {string} key
     */
    take(key) {
      const found = asked.get(key) ?? [];
      asked.delete(key);
      return found;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/**
 * @param {string} text
 * @returns {Json}
 */
export function jsonOf(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
