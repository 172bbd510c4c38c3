import { once } from 'node:events';
import { createServer } from 'node:http';
import { portOf } from '@millrace/testing';
import { effectUrl } from './suspensions/flows.mjs';

/** @import { ServerResponse } from 'node:http' */

/**
 * @typedef {{ runId: string, token: string, count: number }} Effect
 * @typedef {Awaited<ReturnType<typeof startSink>>} Sink
 */

const PATH = /^\/effect\/([\w-]+)\/(\d{1,5})$/;
const LOOK = /^\/look\/([\w-]+)$/;
const KEY = /^([0-9a-f-]{36}):(.+)$/;

/**
 * Starts the service that receives the effects of flows. `POST /effect/<token>/<milliseconds>` with the key
 * `<run>:<vertex>` counts an effect and is answered after that time; other requests are refused. `effects` maps a key to
 * { runId, token, count }; `broken` lists { token, at } of requests that were closed before their answer. `GET /look/<token>` is
 * answered with the address of an effect, whose token has the number of the request; `looks` counts them by token.
 */
export async function startSink() {
  /** @type {Map<string, Effect>} */
  const effects = new Map();
  /** @type {{ readonly token: string, readonly at: number }[]} */
  const broken = [];
  /** @type {string[]} */
  const refused = [];
  /** @type {Map<string, number>} */
  const looks = new Map();
  const server = createServer((request, response) => {
    const [, token, milliseconds] = PATH.exec(request.url ?? '') ?? [];
    const [key, runId = ''] = KEY.exec(String(request.headers['idempotency-key'] ?? '')) ?? [];
    request.resume();
    const [, looked] = LOOK.exec(request.url ?? '') ?? [];
    if (request.method === 'GET' && looked !== undefined) {
      const number = (looks.get(looked) ?? 0) + 1;
      looks.set(looked, number);
      response.setHeader('content-type', 'text/plain').end(effectUrl(url(), `${looked}_${number}`));
      return;
    }
    if (request.method !== 'POST' || token === undefined || key === undefined) {
      refused.push(`${request.method} ${request.url}`);
      answer(response, 400, { error: 'POST /effect/<token>/<milliseconds> with an Idempotency-Key' });
      return;
    }
    const effect = effects.get(key) ?? { runId, token, count: 0 };
    effect.count += 1;
    effects.set(key, effect);
    const timer = setTimeout(() => answer(response, 200, { token, runId }), Number(milliseconds));
    response.on('close', () => {
      clearTimeout(timer);
      if (!response.writableFinished) broken.push({ token, at: Date.now() });
    });
  });
  const url = () => `http://127.0.0.1:${portOf(server)}`;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: url(),
    effects,
    looks,
    broken,
    refused,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}

/**
 * @param {ServerResponse} response
 * @param {number} status
 * @param {unknown} body
 */
function answer(response, status, body) {
  if (response.destroyed) return;
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
