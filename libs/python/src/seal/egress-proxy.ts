import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { LineLimit } from '@millrace/service';
import type { Counter, Logger, Metrics, OutgoingDial } from '@millrace/service';
import { EgressConnection } from './egress-connection';
import type { EgressStream } from './egress-stream';
import { serveStream } from './serve-stream';
import type { EgressDeadlines, EgressOutcome } from './serve-stream';

export interface EgressProxyOptions extends Partial<EgressDeadlines> {
  /** The socket file to listen on. Its folder must be closed to other users. */
  readonly path: string;
  /** Dials under the rules of native components. */
  readonly dial: OutgoingDial;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly metrics: Metrics;
  /** Connections that one sealed process can have open; 64 unless given. */
  readonly maximumConnections?: number;
}

/**
 * The only way from sealed Python processes to the network: an HTTP proxy (CONNECT, and any method with an http://
 * address) behind a socket file. Each process has one connection to it, which `sealing/egress_relay.py` shares among its
 * clients.
 */
export class EgressProxy {
  readonly #options: EgressProxyOptions;
  readonly #deadlines: EgressDeadlines;
  readonly #limit: LineLimit;
  readonly #requests: Counter;
  readonly #connections = new Set<EgressConnection>();
  readonly #server: Server;

  private constructor(options: EgressProxyOptions) {
    const { logger, metrics } = options;
    this.#options = options;
    const { headMilliseconds = 10_000, idleMilliseconds = 300_000 } = options;
    this.#deadlines = { headMilliseconds, idleMilliseconds };
    this.#limit = new LineLimit({ logger, metrics, about: 'calls of Python processes' });
    this.#requests = metrics.counter(
      'millrace_python_egress_total',
      'Connections that Python processes asked for, by outcome',
      { labels: { outcome: ['connected', 'refused', 'unreachable', 'invalid', 'excess', 'cut_off'] } },
    );
    metrics.gauge('millrace_python_egress_open', 'Open connections of Python processes', () =>
      [...this.#connections].reduce((sum, { openStreams }) => sum + openStreams, 0),
    );
    this.#server = createServer((socket) => this.#accept(socket));
    this.#server.on('error', (error) => logger.error({ error }, 'egress proxy failed'));
  }

  /** Listens on the path, which must not exist yet. Rejects with the system's error. */
  static async start(options: EgressProxyOptions): Promise<EgressProxy> {
    const proxy = new EgressProxy(options);
    proxy.#server.listen(options.path);
    await once(proxy.#server, 'listening');
    return proxy;
  }

  /** Closes every connection and removes the socket file. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const connection of this.#connections) connection.close();
    await closed;
    this.#limit.close();
  }

  #accept(socket: Socket): void {
    const connection = new EgressConnection({
      socket,
      maximumStreams: this.#options.maximumConnections ?? 64,
      onStream: (stream, label) => void this.#serve(stream, label),
      onExcess: (label) => this.#note({ outcome: 'excess', reason: 'too many connections' }, label),
      onProtocolError: (error, label) => this.#note({ outcome: 'cut_off', reason: error.message }, label),
    });
    this.#connections.add(connection);
    socket.once('close', () => this.#connections.delete(connection));
  }

  async #serve(stream: EgressStream, label: string): Promise<void> {
    try {
      this.#note(await serveStream(stream, this.#options.dial, this.#deadlines), label);
    } catch (error) {
      stream.destroy();
      this.#options.logger.error({ error, process: label }, 'call of a Python process failed');
    }
  }

  #note(
    { outcome, target, reason }: Omit<EgressOutcome, 'outcome'> & { readonly outcome: string },
    label: string,
  ): void {
    this.#requests.add(1, { outcome });
    if (outcome === 'connected' || !this.#limit.allows(label)) return;
    this.#options.logger.warn(
      { process: label, outcome, ...target, ...(reason !== undefined && { reason }) },
      'call of a Python process refused',
    );
  }
}
