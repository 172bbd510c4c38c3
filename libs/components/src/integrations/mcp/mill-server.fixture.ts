import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';

/** The same server as a local program. */
export const millProgram = join(__dirname, 'mill-tools.fixture.cjs');

interface ProtocolServer {
  connect(transport: Transport): Promise<void>;
}

const { createMillServer } = createRequire(__filename)(millProgram) as {
  createMillServer(): ProtocolServer;
};

/** The key that every request must have. */
export const millKey = 'mill-key-4711';

export interface MillServer {
  readonly url: string;
  /** Number of sessions that were started. */
  sessions(): number;
  /** Resolves when no client is connected to the server's event streams. */
  disconnected(): Promise<void>;
  close(): Promise<void>;
}

/** Serves Streamable HTTP at /mcp and the older event transport at /sse. Requires a key. */
export function createMillHandler({
  onSession = () => undefined,
}: { readonly onSession?: () => void } = {}): RequestListener {
  const streams = new Map<string, StreamableHTTPServerTransport>();
  const events = new Map<string, SSEServerTransport>();
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', 'http://mill');
    if (request.headers.authorization !== `Bearer ${millKey}`) {
      response
        .writeHead(401, { 'content-type': 'text/plain' })
        .end(`no entry with ${request.headers.authorization}`);
    } else if (url.pathname === '/mcp') {
      const known = streams.get(String(request.headers['mcp-session-id']));
      await (known ?? (await openStream(streams, onSession))).handleRequest(request, response);
    } else if (url.pathname === '/sse' && request.method === 'GET') {
      onSession();
      const transport = new SSEServerTransport('/messages', response);
      events.set(transport.sessionId, transport);
      await createMillServer().connect(transport);
    } else if (url.pathname === '/messages' && request.method === 'POST') {
      await events.get(url.searchParams.get('sessionId') ?? '')?.handlePostMessage(request, response);
    } else {
      response.writeHead(url.pathname === '/sse' ? 405 : 404).end();
    }
  };
  return (request, response) => void handle(request, response);
}

async function openStream(
  streams: Map<string, StreamableHTTPServerTransport>,
  onSession: () => void,
): Promise<StreamableHTTPServerTransport> {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => {
      onSession();
      streams.set(id, transport);
    },
  });
  await createMillServer().connect(transport as Transport);
  return transport;
}

export async function startMillServer(): Promise<MillServer> {
  let sessions = 0;
  const listening = new Set<ServerResponse>();
  const handle = createMillHandler({ onSession: () => (sessions += 1) });
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      listening.add(response);
      response.once('close', () => listening.delete(response));
    }
    handle(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sessions: () => sessions,
    disconnected: async () => {
      await Promise.all([...listening].map((response) => once(response, 'close')));
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
