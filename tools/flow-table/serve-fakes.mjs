import { once } from 'node:events';
import { createServer, request as send } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { answerAsSite } from './site.mjs';
import { ToolTrial } from './tool-trial.mjs';
import { localPorts, modelHosts, vendorHosts } from './vendor-hosts.mjs';

const modelPath = /\/(chat\/completions|embeddings|models)$/;

/**
 * Serves the fakes on 127.0.0.1: by host name on the ports of HTTP and HTTPS, and on those ports of this machine that
 * flows name and nobody has. Gives { renew, takeAsked, trial, unanswered, close }; `renew()` makes the fakes forget what they were
 * told, `takeAsked()` gives the texts of the requests to models since it was called last, `unanswered` are the hosts that
 * no fake stands for, with how often each was asked.
 */
export async function serveFakes({ makeFakes, modelUrl, certificate }) {
  let fakes = makeFakes();
  const unanswered = new Map();
  const asked = [];
  const trial = new ToolTrial();
  const models = { modelUrl, asked, trial };
  const handle = (request, response) => {
    const host = (request.headers.host ?? '').replace(/:\d+$/, '');
    const { vendor, rewrite } = vendorHosts.find((entry) => entry.host.test(host)) ?? {};
    if (modelHosts.includes(host) && modelPath.test(pathOf(request)))
      return askModel(request, response, models);
    if (rewrite !== undefined) request.url = request.url.replace(...rewrite);
    if (fakes.has(vendor)) return fakes.get(vendor)(request, response);
    unanswered.set(host, (unanswered.get(host) ?? 0) + 1);
    return answerAsSite(request, response, host);
  };
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
    const server = await listen(createServer(local(who)), Number(port)).catch((error) => {
      if (error.code !== 'EADDRINUSE') throw error;
    });
    if (server !== undefined) servers.push(server);
  }
  return {
    renew() {
      fakes = makeFakes();
    },
    takeAsked: () => asked.splice(0),
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

async function listen(server, port) {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function pathOf(request) {
  return request.url.split('?', 1)[0];
}

/** Whatever stands before the endpoint in a provider's address, the model server has it at /v1. */
async function askModel(request, response, { modelUrl, asked, trial }) {
  const [, endpoint = 'unknown'] = modelPath.exec(pathOf(request)) ?? [];
  const parts = [];
  for await (const part of request) parts.push(part);
  const text = Buffer.concat(parts).toString();
  asked.push(text);
  const body = endpoint === 'chat/completions' ? trial.pass(text) : text;
  const headers = { ...request.headers, 'content-length': Buffer.byteLength(body) };
  const passed = send(`${modelUrl}/${endpoint}`, { method: request.method, headers }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  });
  passed.on('error', () => response.destroy());
  response.on('close', () => passed.destroy());
  passed.end(body);
}

function refuse(_request, response) {
  response.writeHead(404).end();
}
