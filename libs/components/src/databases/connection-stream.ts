import { Duplex } from 'node:stream';

/**
 * An open connection in the form that database clients want of a socket they would open themselves. It brings no more
 * than so many bytes, then breaks with `tooMuch`.
 */
export class ConnectionStream extends Duplex {
  readonly #connection: Duplex;
  readonly #maximumBytes: number;
  readonly #tooMuch: () => Error;
  #bytes = 0;

  constructor(connection: Duplex, maximumBytes: number, tooMuch: () => Error) {
    super();
    this.#connection = connection;
    this.#maximumBytes = maximumBytes;
    this.#tooMuch = tooMuch;
    connection.on('data', (chunk: Buffer) => this.#take(chunk));
    connection.once('end', () => this.push(null));
    connection.once('error', (error) => this.destroy(error));
    connection.once('close', () => this.destroy());
    // A client that is done listens no more; what breaks then is nobody's business.
    this.on('error', () => undefined);
  }

  /** Says that it is connected, which it has been from the start. */
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
    // Encryption on top of this stream tells first why it broke off, and the client only hears the first to speak.
    setImmediate(done, error);
  }

  #take(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#maximumBytes) this.destroy(this.#tooMuch());
    else if (!this.push(chunk)) this.#connection.pause();
  }
}
