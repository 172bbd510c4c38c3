import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { HttpError } from '@millrace/http';
import { SharedPlaces } from '@millrace/service';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { whenClosed } from '../../http/when-closed';

const PING_MILLISECONDS = 15_000;
const MAXIMUM_STREAMS = 1_000;
const MAXIMUM_STREAMS_OF_USER = 100;
/** A reader that is further behind is disconnected. */
const MAXIMUM_BUFFERED_BYTES = 16 * 1024 * 1024;

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
    const response = this.#response;
    if (!response.writableEnded) response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
    if (response.writableLength > MAXIMUM_BUFFERED_BYTES) response.destroy();
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

  readonly #places = new SharedPlaces({ maximum: MAXIMUM_STREAMS });

  /** Takes a place of the user for a stream until it closes. Throws too_many_runs. */
  takePlace(userId: string, response: ServerResponse): void {
    const leave = this.#places.take({ [userId]: MAXIMUM_STREAMS_OF_USER });
    if (leave === null) {
      const text = 'Too many open streams at this gateway. Close some of them, or try again later.';
      throw new HttpError('too_many_runs', text, { headers: { 'retry-after': '1' } });
    }
    whenClosed(response, leave);
  }

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
