import { Duplex } from 'node:stream';
import { EgressProtocolError, FrameKind, MAXIMUM_PAYLOAD_BYTES, WINDOW_BYTES } from './egress-frames';

export interface EgressStreamOptions {
  /** Sends a frame of this stream; false while the connection cannot take more payload. */
  readonly send: (kind: number, value: number, payload?: Buffer) => boolean;
  readonly canSend: () => boolean;
}

/** One connection of a client in a sealed process. Both sides send no more than the other has room for. */
export class EgressStream extends Duplex {
  readonly #options: EgressStreamOptions;
  /** Bytes that may be sent. */
  #credit = WINDOW_BYTES;
  #waiting: { rest: Buffer; readonly done: () => void } | undefined;
  /** Bytes that arrived since credit was last given. */
  #received = 0;
  #hasEnded = false;

  constructor(options: EgressStreamOptions) {
    super({ allowHalfOpen: true, readableHighWaterMark: MAXIMUM_PAYLOAD_BYTES });
    this.#options = options;
  }

  /** Takes bytes that arrived. Throws EgressProtocolError for more than was asked for. */
  receive(payload: Buffer): void {
    this.#received += payload.length;
    if (this.#hasEnded) throw new EgressProtocolError('bytes after the end of a stream');
    if (this.#received > WINDOW_BYTES)
      throw new EgressProtocolError('more bytes than the credit of a stream');
    this.push(payload);
  }

  receiveEnd(): void {
    this.#hasEnded = true;
    this.push(null);
  }

  /** Throws EgressProtocolError for credit that was not used up. */
  addCredit(bytes: number): void {
    if (this.#credit + bytes > WINDOW_BYTES)
      throw new EgressProtocolError('more credit than the window of a stream');
    this.#credit += bytes;
    this.flush();
  }

  /** Sends what waits, as far as the credit and the connection allow. */
  flush(): void {
    while (this.#waiting !== undefined && this.#credit > 0 && this.#options.canSend()) {
      const { rest, done } = this.#waiting;
      const part = rest.subarray(0, Math.min(rest.length, this.#credit, MAXIMUM_PAYLOAD_BYTES));
      this.#credit -= part.length;
      this.#options.send(FrameKind.data, part.length, part);
      if (part.length < rest.length) {
        this.#waiting.rest = rest.subarray(part.length);
        continue;
      }
      this.#waiting = undefined;
      done();
    }
  }

  override _read(): void {
    if (this.#received === 0) return;
    this.#options.send(FrameKind.credit, this.#received);
    this.#received = 0;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#waiting = { rest: chunk, done };
    this.flush();
  }

  override _final(done: () => void): void {
    this.#options.send(FrameKind.end, 0);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (!this.writableFinished || !this.readableEnded) this.#options.send(FrameKind.reset, 0);
    done(error);
  }
}
