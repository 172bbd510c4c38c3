import { request } from 'node:http';
import type { ClientRequest, IncomingMessage, Server } from 'node:http';
import type { SimulatedProcess } from './simulated-process';
import { outsideProcesses } from './simulated-process';
import { simulatedSockets } from './simulated-socket';

/** What a caller asks for. */
export interface CallOrder {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What a caller heard; a connection that broke, whole or in the middle of an answer, has told nothing. */
export type Heard =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers: IncomingMessage['headers'];
      readonly body: string;
    }
  | { readonly kind: 'broken' };

/** Calls a gateway over a connection of its own, with Node's client and the gateway's own server at its ends. */
export class SimulatedCaller {
  readonly heard: Promise<Heard>;
  readonly #request: ClientRequest;

  constructor(server: Server, process: SimulatedProcess, { path, headers, body }: CallOrder) {
    const [here, there] = simulatedSockets([outsideProcesses, (work) => process.run(work)]);
    process.run(() => server.emit('connection', there));
    this.#request = request({
      method: 'POST',
      path,
      headers: { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      createConnection: () => here as never,
    });
    this.heard = new Promise((resolve) => {
      const broken = () => resolve({ kind: 'broken' });
      this.#request.on('error', broken).on('close', broken);
      this.#request.on('response', (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (piece: string) => {
          text += piece;
        });
        response.on('error', broken).on('close', broken);
        response.on('end', () => {
          if (!response.complete) return broken();
          const { statusCode = 0, headers: received } = response;
          resolve({ kind: 'answer', status: statusCode, headers: received, body: text });
        });
      });
    });
    this.#request.end(body);
  }

  /** Leaves without an answer; so does the network when the gateway's machine is gone. */
  leave(): void {
    this.#request.destroy();
  }
}
