import { once } from 'node:events';
import { createServer, request as send } from 'node:http';
import { portOf } from '@millrace/testing';

/** @typedef {Awaited<ReturnType<typeof countModelCalls>>} ModelCalls */

const TOKEN = /\/effect\/([\w-]+)\/20/;

/**
 * Starts a proxy in front of the model server. `calls` has the `Idempotency-Key` of each call about an effect, by the token of
 * the effect: those of agents in durable runs.
 * @param {string} modelUrl
 */
export async function countModelCalls(modelUrl) {
  /** @type {Map<string, string[]>} */
  const calls = new Map();
  const { hostname, port, pathname } = new URL(modelUrl);
  const server = createServer((request, response) => {
    /** @type {Buffer[]} */
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const [, token] = TOKEN.exec(body.toString()) ?? [];
      const key = String(request.headers['idempotency-key'] ?? 'none');
      if (token !== undefined) calls.set(token, [...(calls.get(token) ?? []), key]);
      const { method, url: path, headers } = request;
      const forwarded = send({ hostname, port, path, method, headers, agent: false }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
        answer.on('error', () => response.destroy());
      });
      forwarded.on('error', () => response.destroy());
      response.on('close', () => forwarded.destroy());
      forwarded.end(body);
    });
    request.on('error', () => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${portOf(server)}${pathname}`,
    calls,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}
