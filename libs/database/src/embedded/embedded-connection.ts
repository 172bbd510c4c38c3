import { Duplex } from 'node:stream';
import { FrontendMessages } from './frontend-messages';

type Bytes = Uint8Array<ArrayBuffer>;

/** A running embedded database: answers bytes of PostgreSQL's protocol with bytes of that protocol. */
export interface ExchangePartner {
  exchange(bytes: Bytes): Promise<Bytes>;
}

/** Provides the database of a connection. */
export interface ExchangeServer<Partner extends ExchangePartner> {
  worker(): Promise<Partner>;
  /** Notes that no caller waits for this worker's answers any more. */
  abandon(worker: Partner): void;
}

/** The socket of the PostgreSQL driver: sends its bytes to the worker and returns the worker's answers. */
export class EmbeddedConnection<Partner extends ExchangePartner> extends Duplex {
  readonly #server: ExchangeServer<Partner>;
  readonly #messages = new FrontendMessages();
  #worker: Partner | undefined;

  constructor(server: ExchangeServer<Partner>) {
    super();
    this.#server = server;
  }

  /** As with a socket, emits 'connect' when bytes can be written. Ignores port and host. */
  connect(): this {
    this.#server.worker().then(
      (worker) => {
        this.#worker = worker;
        this.emit('connect');
      },
      (error: Error) => this.destroy(error),
    );
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  /** No effect: the worker alone decides whether the process can exit. */
  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    this.#send(chunk);
    done();
  }

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error) => void): void {
    this.#send(Buffer.concat(chunks.map(({ chunk }) => chunk)));
    done();
  }

  override _read(): void {
    // Answers are pushed as they arrive; each is as large as one result.
  }

  override _final(done: (error?: Error) => void): void {
    done();
    this.destroy();
  }

  /** The driver destroys its socket when a statement exceeds its deadline. */
  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (this.#worker) this.#server.abandon(this.#worker);
    done(error);
  }

  #send(chunk: Buffer): void {
    for (const exchange of this.#messages.add(chunk)) {
      this.#worker?.exchange(exchange).then(
        (answer) => {
          if (!this.destroyed) this.push(Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength));
        },
        (error: Error) => this.destroy(error),
      );
    }
  }
}
