import { request } from 'node:http';
import type { ClientRequest, IncomingMessage, Server } from 'node:http';
import type { SimulatedProcess } from './simulated-process';
import { outsideProcesses } from './simulated-process';
import { simulatedSockets } from './simulated-socket';

/** A request of a caller. */
export interface CallRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What a caller received. A connection that breaks before the end of the answer counts as broken. */
export type CallOutcome =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers: IncomingMessage['headers'];
      readonly body: string;
    }
  | { readonly kind: 'broken' };

/** Calls a gateway over a separate simulated connection between Node's client and the gateway's server. */
export class SimulatedCaller {
  readonly outcome: Promise<CallOutcome>;
  readonly #request: ClientRequest;

  constructor(server: Server, process: SimulatedProcess, { path, headers, body }: CallRequest) {
    const [here, there] = simulatedSockets([outsideProcesses, (work) => process.run(work)]);
    process.run(() => server.emit('connection', there));
    this.#request = request({
      method: 'POST',
      path,
      headers: { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      createConnection: () => here as never,
    });
    this.outcome = new Promise((resolve) => {
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

  /** Disconnects without an answer. Also used when the gateway is killed. */
  disconnect(): void {
    this.#request.destroy();
  }
}
