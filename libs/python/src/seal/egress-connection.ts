import type { Socket } from 'node:net';
import type { EgressFrame } from './egress-frames';
import { EgressFrameDecoder, EgressProtocolError, FrameKind, frameHeader } from './egress-frames';
import { EgressStream } from './egress-stream';

/** Payload for the process waits in its streams while this much is unsent. */
const HIGH_WATER_BYTES = 1_048_576;
/** A process that lets this much lie unread is cut off: it makes the proxy answer and does not read. */
const MAXIMUM_UNSENT_BYTES = 8_388_608;

export interface EgressConnectionOptions {
  readonly socket: Socket;
  readonly maximumStreams: number;
  readonly onStream: (stream: EgressStream, label: string) => void;
  /** A stream beyond the maximum was refused. */
  readonly onExcess: (label: string) => void;
  readonly onProtocolError: (error: EgressProtocolError, label: string) => void;
}

/** The connection of one sealed process, which carries the streams of its clients. The process is not trusted. */
export class EgressConnection {
  readonly #options: EgressConnectionOptions;
  readonly #decoder = new EgressFrameDecoder();
  readonly #streams = new Map<number, EgressStream>();
  #label = '';

  constructor(options: EgressConnectionOptions) {
    this.#options = options;
    const { socket } = options;
    socket.on('data', (chunk) => this.#take(chunk));
    socket.on('drain', () => {
      for (const stream of this.#streams.values()) stream.flush();
    });
    // The close that follows ends the streams.
    socket.on('error', () => undefined);
    socket.on('close', () => this.#endStreams());
  }

  get openStreams(): number {
    return this.#streams.size;
  }

  close(): void {
    this.#options.socket.destroy();
  }

  #take(chunk: Buffer): void {
    try {
      for (const frame of this.#decoder.decode(chunk)) this.#onFrame(frame);
      if (this.#options.socket.writableLength > MAXIMUM_UNSENT_BYTES)
        throw new EgressProtocolError('answers that are not read');
    } catch (error) {
      if (!(error instanceof EgressProtocolError)) throw error;
      this.#options.onProtocolError(error, this.#label);
      this.close();
    }
  }

  #onFrame({ kind, streamId, value, payload }: EgressFrame): void {
    if (kind === FrameKind.hello) {
      // Only the first names the process: it is sent before the process runs authors' code.
      if (this.#label === '') this.#label = payload.toString('utf8').slice(0, 200);
      return;
    }
    if (kind === FrameKind.open) return this.#open(streamId);
    const stream = this.#streams.get(streamId);
    // Frames of a stream that this side has closed can still arrive.
    if (stream === undefined) return;
    if (kind === FrameKind.data) stream.receive(payload);
    else if (kind === FrameKind.end) stream.receiveEnd();
    else if (kind === FrameKind.reset) stream.destroy();
    else if (kind === FrameKind.credit) stream.addCredit(value);
    else throw new EgressProtocolError(`a frame of kind ${kind}`);
  }

  #open(streamId: number): void {
    if (this.#streams.has(streamId)) throw new EgressProtocolError('a stream that is open already');
    if (this.#streams.size >= this.#options.maximumStreams) {
      this.#send(FrameKind.reset, streamId, 0);
      return this.#options.onExcess(this.#label);
    }
    const stream = new EgressStream({
      send: (kind, value, payload) => this.#send(kind, streamId, value, payload),
      canSend: () => this.#options.socket.writableLength < HIGH_WATER_BYTES,
    });
    this.#streams.set(streamId, stream);
    stream.on('error', () => undefined);
    stream.once('close', () => this.#streams.delete(streamId));
    this.#options.onStream(stream, this.#label);
  }

  #send(kind: number, streamId: number, value: number, payload?: Buffer): boolean {
    const { socket } = this.#options;
    if (socket.destroyed) return false;
    const header = frameHeader(kind, streamId, value);
    return socket.write(payload === undefined ? header : Buffer.concat([header, payload]));
  }

  #endStreams(): void {
    for (const stream of this.#streams.values()) stream.destroy();
  }
}
