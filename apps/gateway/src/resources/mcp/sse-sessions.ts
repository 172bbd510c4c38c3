import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';

const PING_MILLISECONDS = 15_000;

/** The transport of the Model Context Protocol before Streamable HTTP: one stream of events, and POST for each message. */
export class SseTransport implements Transport {
  readonly sessionId = randomUUID().replaceAll('-', '');
  onclose?: () => void;
  onmessage?: NonNullable<Transport['onmessage']>;
  readonly #response: ServerResponse;
  readonly #path: string;

  /** `path` takes the messages of the client. */
  constructor(response: ServerResponse, path: string) {
    this.#response = response;
    this.#path = path;
  }

  start(): Promise<void> {
    const response = this.#response;
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    response.write(`event: endpoint\ndata: ${this.#path}?session_id=${this.sessionId}\n\n`);
    const pings = setInterval(() => response.write(': ping\n\n'), PING_MILLISECONDS).unref();
    response.once('close', () => {
      clearInterval(pings);
      this.onclose?.();
    });
    return Promise.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
    if (!this.#response.writableEnded)
      this.#response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.#response.end();
    return Promise.resolve();
  }
}

/** The open streams of this process, by the id of their session. */
export class SseSessions {
  readonly #transports = new Map<string, { readonly owner: string; readonly transport: SseTransport }>();

  /** Keeps a transport until its stream closes. `owner` names the user and the project that it serves. */
  add(owner: string, transport: SseTransport, response: ServerResponse): void {
    this.#transports.set(transport.sessionId, { owner, transport });
    response.once('close', () => this.#transports.delete(transport.sessionId));
  }

  find(owner: string, sessionId: string): SseTransport | undefined {
    const found = this.#transports.get(sessionId);
    return found?.owner === owner ? found.transport : undefined;
  }
}
