import { Agent, request as send } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { GATEWAY_HEADER, MAXIMUM_WAITING_SENDERS, HttpError } from '@millrace/http';
import { MAXIMUM_WAIT_SECONDS } from '@millrace/flow';
import type { Webhooks } from '../../gateway-dependencies';
import { queryOf } from '../../http/validation/query';
import { answerError } from '../../http/answers/answer-error';
import type { RequestLog } from '../../http/request-log';

export interface WebhookProxy {
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void;
  close(): void;
}

const CONNECT_TIMEOUT_MILLISECONDS = 250;
/** Ingest answers when the run is stored; a database that takes this long counts as unavailable. */
const ANSWER_TIMEOUT_MILLISECONDS = 10_000;
/** Senders who wait for their runs each keep a connection, and must leave some for the others. */
const MAXIMUM_SOCKETS = 512 + MAXIMUM_WAITING_SENDERS;
/** Less than the drain time of ingest, so that no request is sent on a connection that ingest is about to close. */
const MAXIMUM_IDLE_MILLISECONDS = 1_000;
/** Headers that apply to one connection, not to the request. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Creates the handler that forwards webhooks with their body unread. Answers 503 at once when the target is
 * unreachable.
 */
export function createWebhookProxy(webhooks: Webhooks, log: RequestLog): WebhookProxy {
  if ('handle' in webhooks) {
    return { handle: (request, response) => void webhooks.handle(request, response), close: () => undefined };
  }
  const target = new URL(webhooks.forwardTo);
  const agent = new Agent({
    keepAlive: true,
    maxSockets: MAXIMUM_SOCKETS,
    maxFreeSockets: 64,
    timeout: MAXIMUM_IDLE_MILLISECONDS,
  });
  return {
    handle: (request, response) => forward(request, response, { target, agent, log }),
    close: () => agent.destroy(),
  };
}

interface Forwarding {
  readonly target: URL;
  readonly agent: Agent;
  readonly log: RequestLog;
}

function forward(
  request: IncomingMessage,
  response: ServerResponse,
  { target, agent, log }: Forwarding,
): void {
  const headers = Object.fromEntries(
    Object.entries(request.headers).filter(([name]) => !HOP_BY_HOP.has(name)),
  );
  const upstream = send({
    agent,
    hostname: target.hostname,
    port: target.port || 80,
    method: request.method,
    path: request.url,
    headers: {
      ...headers,
      'x-forwarded-for': forwardedFor(request),
      'x-request-id': String(response.getHeader('x-request-id')),
      [GATEWAY_HEADER]: '1',
    },
    timeout: ANSWER_TIMEOUT_MILLISECONDS + waitMillisecondsOf(request),
  });
  const giveUp = (error: Error) => {
    upstream.destroy();
    request.unpipe(upstream).resume();
    // The sender has disconnected, or has received a part of an answer.
    if (response.destroyed || response.headersSent) return void response.destroy();
    const refusal = new HttpError('ingest_unavailable', 'Webhooks cannot be accepted at the moment.', {
      headers: { 'retry-after': '1' },
      cause: error,
    });
    answerError(response, refusal, log);
  };
  upstream.on('socket', (socket) =>
    limitConnecting(socket, () => upstream.destroy(new Error('no connection in time'))),
  );
  upstream.on('timeout', () => upstream.destroy(new Error('no answer in time')));
  upstream.on('information', ({ statusCode }) => {
    if (statusCode === 102) upstream.setTimeout(ANSWER_TIMEOUT_MILLISECONDS + MAXIMUM_WAIT_SECONDS * 1_000);
  });
  upstream.on('error', giveUp);
  upstream.on('response', (answer) => {
    const { statusCode = 502 } = answer;
    const kept = Object.entries(answer.headers).filter(([name]) => !HOP_BY_HOP.has(name));
    response.writeHead(statusCode, Object.fromEntries(kept));
    answer.pipe(response);
    answer.on('error', () => response.destroy());
  });
  response.on('close', () => {
    if (!response.writableFinished) upstream.destroy();
  });
  request.pipe(upstream);
}

/** How long the sender asks ingest to wait for the run. */
function waitMillisecondsOf(request: IncomingMessage): number {
  const seconds = /^\d{1,2}$/.exec(queryOf(request).get('wait') ?? '');
  return seconds === null ? 0 : Math.min(Number(seconds[0]), MAXIMUM_WAIT_SECONDS) * 1_000;
}

/** Limits the time to connect, which is shorter than the time for an answer. */
function limitConnecting(socket: Socket, onTimeout: () => void): void {
  if (!socket.connecting) return;
  // After a blocked event loop the connection can be open with its event still pending, so check one turn later.
  const check = () => setImmediate(() => socket.connecting && onTimeout());
  const timer = setTimeout(check, CONNECT_TIMEOUT_MILLISECONDS);
  socket.once('connect', () => clearTimeout(timer));
  socket.once('close', () => clearTimeout(timer));
}

function forwardedFor(request: IncomingMessage): string {
  const before = request.headers['x-forwarded-for'];
  const own = request.socket.remoteAddress ?? '';
  return before === undefined ? own : `${String(before)}, ${own}`;
}
