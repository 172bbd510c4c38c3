import { Duplex } from 'node:stream';
import { FrontendMessages } from './frontend-messages';

type Bytes = Uint8Array<ArrayBuffer>;

/** A running embedded database: answers bytes of PostgreSQL's protocol with such bytes. */
export interface ExchangePartner {
  exchange(bytes: Bytes): Promise<Bytes>;
}

/** Where a connection finds its database. */
export interface ExchangeServer<Partner extends ExchangePartner> {
  worker(): Promise<Partner>;
  /** Nobody waits for this one's answers any more. */
  abandon(worker: Partner): void;
}

/** What the PostgreSQL driver takes for its socket: its bytes go to the worker, the answers come back. */
export class EmbeddedConnection<Partner extends ExchangePartner> extends Duplex {
  readonly #server: ExchangeServer<Partner>;
  readonly #messages = new FrontendMessages();
  #worker: Partner | undefined;

  constructor(server: ExchangeServer<Partner>) {
    super();
    this.#server = server;
  }

  /** As of a socket: says 'connect' when bytes can be written. Port and host mean nothing here. */
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

  /** The worker alone decides whether the process may end. */
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
    // Answers are pushed as they come; each is as large as one result.
  }

  override _final(done: (error?: Error) => void): void {
    done();
    this.destroy();
  }

  /** The driver destroys its socket when a statement is past its deadline. */
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
