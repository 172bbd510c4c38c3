import { Duplex } from 'node:stream';

/**
 * Wraps an open connection so that database clients can use it like a socket that they open themselves. After
 * `maximumBytes` received bytes it fails with the error that `limitError` returns.
 */
export class ConnectionStream extends Duplex {
  readonly #connection: Duplex;
  readonly #maximumBytes: number;
  readonly #limitError: () => Error;
  #bytes = 0;

  constructor(connection: Duplex, maximumBytes: number, limitError: () => Error) {
    super();
    this.#connection = connection;
    this.#maximumBytes = maximumBytes;
    this.#limitError = limitError;
    connection.on('data', (chunk: Buffer) => this.#receive(chunk));
    connection.once('end', () => this.push(null));
    connection.once('error', (error) => this.destroy(error));
    connection.once('close', () => this.destroy());
    // A client that has finished removes its listener; a later error must not crash the process.
    this.on('error', () => undefined);
  }

  /** Emits `connect`; the connection has been open from the start. */
  connect(): this {
    process.nextTick(() => this.emit('connect'));
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  override _read(): void {
    this.#connection.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#connection.write(chunk, done);
  }

  override _final(done: () => void): void {
    this.#connection.end(done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#connection.destroy();
    // Emit the error after TLS on top of this stream has emitted its own: the client reports only the first error.
    setImmediate(done, error);
  }

  #receive(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#maximumBytes) this.destroy(this.#limitError());
    else if (!this.push(chunk)) this.#connection.pause();
  }
}
