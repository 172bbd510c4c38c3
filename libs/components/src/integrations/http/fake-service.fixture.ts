import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Ajv from 'ajv';
import type { Schema } from 'ajv';

export interface FakeRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body as JSON; undefined when it is not JSON. */
  readonly json: unknown;
}

export interface FakeAnswer {
  /** 200 by default. */
  readonly status?: number;
  readonly json?: unknown;
  readonly text?: string;
  readonly bytes?: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Answers requests like a vendor's server; can be mounted in any HTTP server. */
export interface FakeHandler {
  (request: IncomingMessage, response: ServerResponse): void;
  /** The received requests, oldest first. */
  readonly asked: readonly FakeRequest[];
}

export interface FakeService {
  readonly url: string;
  readonly asked: readonly FakeRequest[];
  close(): Promise<void>;
}

/** Returns a handler for a function that answers one request. */
export function fakeHandler(answer: (request: FakeRequest) => FakeAnswer): FakeHandler {
  const asked: FakeRequest[] = [];
  return Object.assign(
    (incoming: IncomingMessage, response: ServerResponse) => {
      void readRequest(incoming).then((request) => {
        asked.push(request);
        const { status = 200, json, text, bytes, headers = {} } = answer(request);
        const type = json === undefined ? 'text/plain; charset=utf-8' : 'application/json';
        response
          .writeHead(status, { 'content-type': type, ...headers })
          .end(bytes ?? text ?? (json === undefined ? '' : JSON.stringify(json)));
      });
    },
    { asked },
  );
}

/** Starts a server for a handler on a free local port. */
export async function startFakeService(handler: FakeHandler): Promise<FakeService> {
  const server = createServer(handler);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked: handler.asked,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Returns a service that runs during each test of a file or group. */
export function serviceForEachTest(start: () => Promise<FakeService>): FakeService {
  return running(start, beforeEach, afterEach);
}

/** Returns a service that runs during all tests of a file or group. */
export function serviceForAllTests(start: () => Promise<FakeService>): FakeService {
  return running(start, beforeAll, afterAll);
}

function running(
  start: () => Promise<FakeService>,
  before: typeof beforeAll,
  after: typeof afterAll,
): FakeService {
  let service: FakeService;
  before(async () => {
    service = await start();
  });
  after(() => service.close());
  return {
    get url() {
      return service.url;
    },
    get asked() {
      return service.asked;
    },
    close: () => service.close(),
  };
}

/** Returns a `fetch` that reaches only the given hosts, each served by a fake. */
export function fetchFrom(hosts: Readonly<Record<string, { readonly url: string }>>): typeof fetch {
  return async (input, init) => {
    const wanted = new URL(input instanceof Request ? input.url : input);
    const service = hosts[wanted.host];
    if (service === undefined) {
      const cause = Object.assign(new Error(`getaddrinfo ENOTFOUND ${wanted.hostname}`), {
        code: 'ENOTFOUND',
      });
      throw new TypeError('fetch failed', { cause });
    }
    const response = await fetch(`${service.url}${wanted.pathname}${wanted.search}`, init);
    return response.redirected ? response : Object.defineProperty(response, 'url', { value: wanted.href });
  };
}

const ajv = new Ajv({ allErrors: true, strict: false });

/** Returns the violations of a JSON Schema as text; null when the value is valid. */
export function violation(schema: Schema, value: unknown): string | null {
  const validate = ajv.compile(schema);
  return validate(value) ? null : ajv.errorsText(validate.errors);
}

async function readRequest(incoming: IncomingMessage): Promise<FakeRequest> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  const text = Buffer.concat(parts).toString('utf8');
  const url = new URL(incoming.url ?? '/', 'http://fake');
  return {
    method: incoming.method ?? '',
    path: url.pathname,
    query: url.searchParams,
    headers: incoming.headers,
    text,
    json: parsed(text),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
