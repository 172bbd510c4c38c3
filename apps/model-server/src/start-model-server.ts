import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from '@millrace/service';
import { answerChat } from './answer-chat';
import { DirectiveError, readDirectives } from './directives';
import { ModelServerError } from './model-server-error';
import { checkKey, findRoute } from './routes';
import { PlannedFailures } from './planned-failures';

const MAXIMUM_BODY_BYTES = 16 * 1024 * 1024;

export interface ModelServerOptions {
  /** Default 0, which selects a free port. */
  readonly port?: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** When given, requests without this key are refused. */
  readonly apiKey?: string;
  readonly logger?: Logger;
}

export interface ModelServer {
  readonly port: number;
  /** Base URL for OpenAI clients; ends with /v1. */
  readonly url: string;
  /** The URL without a path, for clients of Anthropic and Google. */
  readonly origin: string;
  /** Number of requests; `abandoned` are those whose caller disconnected before the answer was complete. */
  readonly counts: { readonly total: number; readonly active: number; readonly abandoned: number };
  /** Breaks off active answers. Can be called several times. */
  close(): Promise<void>;
}

/**
 * Starts a server that implements the protocols of OpenAI, Anthropic and Google with deterministic answers: see the
 * README.
 */
export async function startModelServer(options: ModelServerOptions = {}): Promise<ModelServer> {
  const { port = 0, host = '127.0.0.1', apiKey, logger } = options;
  const counts = { total: 0, active: 0, abandoned: 0 };
  const failures = new PlannedFailures();

  const handle = async (
    request: IncomingMessage,
    response: ServerResponse,
    signal: AbortSignal,
  ): Promise<void> => {
    const route = findRoute(request);
    if (route.kind === 'open')
      return sendJson(response, route.path === '/healthz' ? { status: 'ok' } : counts);
    checkKey(request, route, apiKey);
    if (route.kind === 'unknown') throw new ModelServerError(404, `Unknown request URL: ${route.name}.`);
    if (route.kind === 'list') return sendJson(response, route.answer);
    const body = await readJson(request);
    if (route.kind === 'embed') return sendJson(response, route.embed(body));
    const chat = route.dialect.readRequest(body);
    const directives = readDirectives(chat.texts);
    if (failures.hangs(directives)) return;
    await answerChat(route.dialect, chat, directives, response, signal);
  };

  const server = createServer((request, response) => {
    const closed = new AbortController();
    counts.total += 1;
    counts.active += 1;
    response.once('close', () => {
      counts.active -= 1;
      if (!response.writableFinished) counts.abandoned += 1;
      closed.abort();
    });
    handle(request, response, closed.signal).catch((error: unknown) => {
      if (closed.signal.aborted || response.headersSent) return void response.destroy();
      const refusal = asRefusal(error);
      if (refusal.status === 500) logger?.warn({ error }, 'request failed unexpectedly');
      const body = JSON.stringify(findRoute(request).dialect.refusal(refusal));
      response.writeHead(refusal.status, { 'content-type': 'application/json' }).end(body);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo;
  const origin = `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`;
  let closing: Promise<void> | undefined;
  return {
    port: address.port,
    url: `${origin}/v1`,
    origin,
    counts,
    close: () =>
      (closing ??= new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      })),
  };
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAXIMUM_BODY_BYTES) throw new ModelServerError(413, 'The body is too large.');
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    throw new ModelServerError(400, 'The body is not JSON.');
  }
}

function asRefusal(error: unknown): ModelServerError {
  if (error instanceof ModelServerError) return error;
  if (error instanceof DirectiveError) return new ModelServerError(400, error.message);
  return new ModelServerError(500, 'The server failed.');
}

function sendJson(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
