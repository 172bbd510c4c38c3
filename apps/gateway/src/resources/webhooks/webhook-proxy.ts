import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { GATEWAY_HEADER, MAXIMUM_WAITING_SENDERS, HttpError } from '@millrace/http';
import { MAXIMUM_WAIT_SECONDS } from '@millrace/flow';
import { propagatesTraces } from '@millrace/service';
import { Pool } from 'undici';
import type { Dispatcher } from 'undici';
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
const MAXIMUM_CONNECTIONS = 512 + MAXIMUM_WAITING_SENDERS;
/** Less than the drain time of ingest, so that no request is sent on a connection that ingest is about to close. */
const MAXIMUM_IDLE_MILLISECONDS = 1_000;
/** A body up to this size is read whole, which Node buffers anyway, and leaves in one piece with its header. */
const MAXIMUM_WHOLE_BODY_BYTES = 65_536;
/** Headers that apply to one connection, not to the request. */
const HOP_BY_HOP = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Headers of the sender's trace. A traced process sends its own span in their place; undici adds them to those given. */
const TRACE_HEADERS = ['traceparent', 'tracestate', 'baggage'];

/**
 * Creates the handler that forwards webhooks with their body unparsed. Answers 503 at once when the target is
 * unreachable.
 */
export function createWebhookProxy(webhooks: Webhooks, log: RequestLog): WebhookProxy {
  if ('handle' in webhooks) {
    return { handle: (request, response) => void webhooks.handle(request, response), close: () => undefined };
  }
  const ingest = new Pool(new URL(webhooks.forwardTo).origin, {
    connections: MAXIMUM_CONNECTIONS,
    connect: { timeout: CONNECT_TIMEOUT_MILLISECONDS },
    keepAliveTimeout: MAXIMUM_IDLE_MILLISECONDS,
    keepAliveMaxTimeout: MAXIMUM_IDLE_MILLISECONDS,
    // Each request has a timer of its own.
    headersTimeout: 0,
    bodyTimeout: ANSWER_TIMEOUT_MILLISECONDS,
  });
  return {
    handle: (request, response) => forward(request, response, { ingest, log }),
    close: () => void ingest.destroy(),
  };
}

interface Forwarding {
  readonly ingest: Pool;
  readonly log: RequestLog;
}

function forward(request: IncomingMessage, response: ServerResponse, { ingest, log }: Forwarding): void {
  const exchange = new Exchange(request, response, log);
  const send = (body: Buffer | PassThrough | null) =>
    ingest.dispatch(
      {
        method: request.method as Dispatcher.HttpMethod,
        path: request.url ?? '/',
        headers: forwardedHeaders(request, response),
        body,
      },
      exchange,
    );
  if (!hasBody(request)) {
    exchange.awaitAnswer();
    send(null);
    return;
  }
  request.on('end', () => exchange.awaitAnswer());
  if (Number(request.headers['content-length']) <= MAXIMUM_WHOLE_BODY_BYTES) readWhole(request, send);
  else send(request.pipe(new PassThrough()));
}

/** Sends the answer of ingest to the sender, and ends the request to ingest when the sender disconnects. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #log: RequestLog;
  #controller: Dispatcher.DispatchController | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(request: IncomingMessage, response: ServerResponse, log: RequestLog) {
    this.#request = request;
    this.#response = response;
    this.#log = log;
    response.on('close', () => {
      clearTimeout(this.#timer);
      if (!response.writableFinished) this.#controller?.abort(new Error('the sender has disconnected'));
    });
  }

  /** Limits the time to the answer. Is called when the body has been read, which has a limit of its own. */
  awaitAnswer(): void {
    this.#limit(ANSWER_TIMEOUT_MILLISECONDS + waitMillisecondsOf(this.#request));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    const { destroyed, headersSent } = this.#response;
    if (destroyed || headersSent)
      controller.abort(new Error('the sender has disconnected or has its answer'));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return this.#limit(ANSWER_TIMEOUT_MILLISECONDS + MAXIMUM_WAIT_SECONDS * 1_000);
    clearTimeout(this.#timer);
    this.#response.writeHead(status, endToEnd(headers));
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#response.write(chunk)) return;
    controller.pause();
    this.#response.once('drain', () => controller.resume());
  }

  onResponseEnd(): void {
    this.#response.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    const request = this.#request;
    const response = this.#response;
    request.unpipe().resume();
    // The sender has disconnected, or has received a part of an answer.
    if (response.destroyed || response.headersSent) return void response.destroy();
    const refusal = new HttpError('ingest_unavailable', 'Webhooks cannot be accepted at the moment.', {
      headers: { 'retry-after': '1' },
      cause: error,
    });
    answerError(response, refusal, this.#log);
  }

  #limit(milliseconds: number): void {
    clearTimeout(this.#timer);
    if (this.#response.headersSent || this.#response.destroyed) return;
    this.#timer = setTimeout(() => {
      const error = new Error('no answer in time');
      if (this.#controller) this.#controller.abort(error);
      else this.onResponseError(null, error);
    }, milliseconds);
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

function readWhole(request: IncomingMessage, onBody: (body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => onBody(Buffer.concat(chunks)));
}

function forwardedHeaders(
  request: IncomingMessage,
  response: ServerResponse,
): Record<string, string | string[] | undefined> {
  const headers = endToEnd(request.headers);
  if (propagatesTraces()) for (const name of TRACE_HEADERS) headers[name] = undefined;
  headers['x-forwarded-for'] = forwardedFor(request);
  headers['x-request-id'] = String(response.getHeader('x-request-id'));
  headers[GATEWAY_HEADER] = '1';
  return headers;
}

function endToEnd(
  headers: Record<string, string | string[] | undefined>,
): Record<string, string | string[] | undefined> {
  const kept: Record<string, string | string[] | undefined> = {};
  for (const name in headers) if (!HOP_BY_HOP.has(name)) kept[name] = headers[name];
  return kept;
}

/** How long the sender asks ingest to wait for the run. */
function waitMillisecondsOf(request: IncomingMessage): number {
  const seconds = /^\d{1,2}$/.exec(queryOf(request).get('wait') ?? '');
  return seconds === null ? 0 : Math.min(Number(seconds[0]), MAXIMUM_WAIT_SECONDS) * 1_000;
}

function forwardedFor(request: IncomingMessage): string {
  const before = request.headers['x-forwarded-for'];
  const own = request.socket.remoteAddress ?? '';
  return before === undefined ? own : `${String(before)}, ${own}`;
}
