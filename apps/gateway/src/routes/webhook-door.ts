import { Agent, request as send } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { answerError } from '../http/answer-error';
import { RequestError } from '../http/request-error';
import type { RequestLog } from '../http/request-log';

/** Who takes webhooks: a service of its own, or a handler in this process. */
export type Webhooks =
  | { readonly forwardTo: string }
  | { readonly handle: (request: IncomingMessage, response: ServerResponse) => unknown };

export interface WebhookDoor {
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void;
  close(): void;
}

const CONNECT_TIMEOUT_MILLISECONDS = 250;
/** Ingest answers when the run is on disk; a database that takes this long is as good as away. */
const ANSWER_TIMEOUT_MILLISECONDS = 10_000;
const MAXIMUM_SOCKETS = 512;
/** Less than ingest drains: a connection that it closes while it is idle here could just be taken for a request. */
const MAXIMUM_IDLE_MILLISECONDS = 1_000;
/** Headers that belong to one connection, not to the request. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Lets webhooks through to whoever takes them, body unread; 503 at once when nobody does. */
export function createWebhookDoor(webhooks: Webhooks, log: RequestLog): WebhookDoor {
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
  const onward = send({
    agent,
    hostname: target.hostname,
    port: target.port || 80,
    method: request.method,
    path: request.url,
    headers: {
      ...headers,
      'x-forwarded-for': forwardedFor(request),
      'x-request-id': String(response.getHeader('x-request-id')),
    },
    timeout: ANSWER_TIMEOUT_MILLISECONDS,
  });
  const giveUp = (error: Error) => {
    onward.destroy();
    request.unpipe(onward).resume();
    // The sender has left, or has half an answer.
    if (response.destroyed || response.headersSent) return void response.destroy();
    const headers = { 'retry-after': '1' };
    const refusal = new RequestError('ingest_unavailable', 'Webhooks cannot be taken at the moment.', {
      headers,
      cause: error,
    });
    answerError(response, refusal, log);
  };
  onward.on('socket', (socket) =>
    limitConnecting(socket, () => onward.destroy(new Error('no connection in time'))),
  );
  onward.on('timeout', () => onward.destroy(new Error('no answer in time')));
  onward.on('error', giveUp);
  onward.on('response', (answer) => {
    const { statusCode = 502 } = answer;
    const kept = Object.entries(answer.headers).filter(([name]) => !HOP_BY_HOP.has(name));
    response.writeHead(statusCode, Object.fromEntries(kept));
    answer.pipe(response);
    answer.on('error', () => response.destroy());
  });
  response.on('close', () => {
    if (!response.writableFinished) onward.destroy();
  });
  request.pipe(onward);
}

/** Waiting for a connection is bounded more tightly than waiting for an answer. */
function limitConnecting(socket: Socket, onLate: () => void): void {
  if (!socket.connecting) return;
  // After the event loop stood still the connection may be there already and its event still to come: one look later.
  const look = () => setImmediate(() => socket.connecting && onLate());
  const timer = setTimeout(look, CONNECT_TIMEOUT_MILLISECONDS);
  socket.once('connect', () => clearTimeout(timer));
  socket.once('close', () => clearTimeout(timer));
}

function forwardedFor(request: IncomingMessage): string {
  const before = request.headers['x-forwarded-for'];
  const own = request.socket.remoteAddress ?? '';
  return before === undefined ? own : `${String(before)}, ${own}`;
}
