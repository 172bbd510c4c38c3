import { isDict } from '@millrace/flow';
import { parsePythonJson } from '@millrace/python-text';
import type { PythonObject } from '@millrace/python-text';
import { headerBytes } from './encode-frame';

/**
 * Values of one frame. A frame is parsed and decoded at once, and the executor does nothing else meanwhile; 64 MiB can
 * contain thirty million values, which take several seconds.
 */
export const maximumFrameValues = 2_000_000;

/** The peer sent something that is no frame, or a frame beyond the limit. */
export class FrameError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'FrameError';
  }
}

/** Splits a byte stream into frames. Keeps at most one incomplete frame. */
export class FrameDecoder {
  readonly #maximumBytes: number;
  #chunks: Buffer[] = [];
  #buffered = 0;
  /** Bytes of the frame that is being received, with its header; null before its header is complete. */
  #needed: number | null = null;
  #bytes = 0;

  constructor(maximumBytes: number) {
    this.#maximumBytes = maximumBytes;
  }

  /** Bytes of the frame that was yielded last. */
  get frameBytes(): number {
    return this.#bytes;
  }

  /** Yields the frames that are complete with this chunk. Throws a FrameError. */
  *push(chunk: Buffer): Generator<PythonObject, void, undefined> {
    this.#chunks.push(chunk);
    this.#buffered += chunk.length;
    for (;;) {
      this.#needed ??= this.#readLength();
      if (this.#needed === null || this.#buffered < this.#needed) return;
      const whole = this.#take(this.#needed);
      this.#bytes = this.#needed;
      this.#needed = null;
      yield parseFrame(whole);
    }
  }

  #readLength(): number | null {
    if (this.#buffered < headerBytes) return null;
    const [first] = this.#chunks;
    if (first !== undefined && first.length < headerBytes) this.#chunks = [Buffer.concat(this.#chunks)];
    const length = this.#chunks[0]?.readUInt32BE(0) ?? 0;
    if (length > this.#maximumBytes) {
      throw new FrameError(`A frame of ${length} bytes exceeds the limit of ${this.#maximumBytes} bytes.`);
    }
    return headerBytes + length;
  }

  #take(bytes: number): Buffer {
    const all = this.#chunks.length === 1 ? this.#chunks[0] : Buffer.concat(this.#chunks);
    const rest = all?.subarray(bytes) ?? Buffer.alloc(0);
    this.#chunks = rest.length === 0 ? [] : [rest];
    this.#buffered = rest.length;
    return all?.subarray(headerBytes, bytes) ?? Buffer.alloc(0);
  }
}

function parseFrame(body: Buffer): PythonObject {
  let value: unknown;
  try {
    value = parsePythonJson(body.toString('utf8'), { maximumValues: maximumFrameValues });
  } catch (error) {
    throw new FrameError(`A frame cannot be read: ${error instanceof Error ? error.message : 'unknown'}`);
  }
  if (!isFrame(value)) throw new FrameError('A frame is not an object.');
  return value;
}

function isFrame(value: unknown): value is PythonObject {
  return isDict(value as PythonObject);
}
