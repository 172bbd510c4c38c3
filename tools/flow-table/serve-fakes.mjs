import { once } from 'node:events';
import { createServer, request as send } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { codeOf } from '../workspace/error-fields.mjs';
import { answerAsSite } from './catch-all-site.mjs';
import { ToolTrial } from './tool-trial.mjs';
import { localPorts, modelHosts, vendorHosts } from './vendor-hosts.mjs';

/** @import { IncomingMessage, Server, ServerResponse } from 'node:http' */
/** @import { Handler } from './load-fakes.mjs' */

/**
 * @typedef {{ readonly modelUrl: string, readonly asked: string[], readonly trial: ToolTrial }} Models
 * @typedef {Awaited<ReturnType<typeof serveFakes>>} Fakes
 *
 * @typedef {object} FakeOptions
 * @property {() => Map<string, Handler>} makeFakes
 * @property {string} modelUrl
 * @property {{ readonly key: Buffer, readonly cert: Buffer }} certificate
 */

const modelPath = /\/(chat\/completions|embeddings|models)$/;

/**
 * Serves the fakes on 127.0.0.1: by host name on the ports of HTTP and HTTPS, and on free ports of this machine that flows
 * name. Resolves to { renew, takeModelRequests, trial, unanswered, close }: `renew()` resets the state of the fakes,
 * `takeModelRequests()` returns the bodies of requests to models since its last call, `unanswered` counts the requests to
 * each host without a fake.
 * @param {FakeOptions} options
 */
export async function serveFakes({ makeFakes, modelUrl, certificate }) {
  let fakes = makeFakes();
  /** @type {Map<string, number>} */
  const unanswered = new Map();
  /** @type {string[]} */
  const asked = [];
  const trial = new ToolTrial();
  const models = { modelUrl, asked, trial };
  /** @type {Handler} */
  const handle = (request, response) => {
    const host = (request.headers.host ?? '').replace(/:\d+$/, '');
    const { vendor = '', rewrite } = vendorHosts.find((entry) => entry.host.test(host)) ?? {};
    // A host without a fake that has these endpoints is a model server of an author.
    if ((modelHosts.includes(host) || vendor === '') && modelPath.test(pathOf(request)))
      return askModel(request, response, models);
    if (rewrite !== undefined) request.url = (request.url ?? '').replace(...rewrite);
    const fake = fakes.get(vendor);
    if (fake !== undefined) return fake(request, response);
    unanswered.set(host, (unanswered.get(host) ?? 0) + 1);
    return answerAsSite(request, response, host);
  };
  /**
   * @param {string} who
   * @returns {Handler}
   */
  const local = (who) => (request, response) =>
    who === 'models' || modelPath.test(pathOf(request))
      ? askModel(request, response, models)
      : (fakes.get(who) ?? refuse)(request, response);
  const servers = [
    await listen(createTlsServer(certificate, handle), 443),
    await listen(createServer(handle), 80),
  ];
  for (const [port, who] of Object.entries(localPorts)) {
    if (who !== 'models' && !fakes.has(who)) continue;
    /** @type {Server | undefined} */
    const server = await listen(createServer(local(who)), Number(port)).catch((error) => {
      if (codeOf(error) !== 'EADDRINUSE') throw error;
      return undefined;
    });
    if (server !== undefined) servers.push(server);
  }
  return {
    renew() {
      fakes = makeFakes();
    },
    takeModelRequests: () => asked.splice(0),
    trial,
    unanswered,
    async close() {
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}

/**
 * @template {Server} S
 * @param {S} server
 * @param {number} port
 */
async function listen(server, port) {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** @param {IncomingMessage} request */
function pathOf(request) {
  return (request.url ?? '').split('?', 1)[0];
}

/**
 * Forwards a request to the model server, which has all endpoints at /v1, regardless of the provider's path prefix.
 * @param {IncomingMessage} request
 * @param {ServerResponse} response
 * @param {Models} models
 */
async function askModel(request, response, { modelUrl, asked, trial }) {
  const [, endpoint = 'unknown'] = modelPath.exec(pathOf(request)) ?? [];
  /** @type {Uint8Array[]} */
  const parts = [];
  for await (const part of request) parts.push(part);
  const text = Buffer.concat(parts).toString();
  asked.push(text);
  const body = endpoint === 'chat/completions' ? trial.pass(text) : text;
  const headers = { ...request.headers, 'content-length': Buffer.byteLength(body) };
  const passed = send(`${modelUrl}/${endpoint}`, { method: request.method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  passed.on('error', () => response.destroy());
  response.on('close', () => passed.destroy());
  passed.end(body);
}

/** @type {Handler} */
const refuse = (_request, response) => response.writeHead(404).end();
