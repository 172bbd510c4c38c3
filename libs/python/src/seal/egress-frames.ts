/** Kinds of frames between a sealed process and the egress proxy; `sealing/egress_relay.py` describes them. */
export const FrameKind = { hello: 0, open: 1, data: 2, end: 3, reset: 4, credit: 5 } as const;

/** Bytes of a stream that one side may send before the other asks for more. */
export const WINDOW = 262_144;
/** Largest payload of a frame. */
export const MAXIMUM_PAYLOAD = 65_536;
const HEADER_BYTES = 9;

export interface EgressFrame {
  readonly kind: number;
  readonly stream: number;
  /** The length of the payload, or the credit. */
  readonly value: number;
  readonly payload: Buffer;
}

/** A sealed process sent something that is not a frame, or more than it may. */
export class EgressProtocolError extends Error {
  readonly code = 'egress_protocol';

  constructor(message: string) {
    super(message);
    this.name = 'EgressProtocolError';
  }
}

export function frameHeader(kind: number, stream: number, value: number): Buffer {
  const header = Buffer.allocUnsafe(HEADER_BYTES);
  header.writeUInt8(kind, 0);
  header.writeUInt32BE(stream, 1);
  header.writeUInt32BE(value, 5);
  return header;
}

/** Splits the bytes of a connection into frames. Holds at most one incomplete frame. */
export class EgressFrameDecoder {
  #rest: Buffer = Buffer.alloc(0);

  /** Yields the frames that these bytes complete. Throws EgressProtocolError. */
  *decode(chunk: Buffer): Generator<EgressFrame, void> {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let offset = 0;
    while (bytes.length - offset >= HEADER_BYTES) {
      const kind = bytes.readUInt8(offset);
      const value = bytes.readUInt32BE(offset + 5);
      const length = payloadLength(kind, value);
      const end = offset + HEADER_BYTES + length;
      if (end > bytes.length) break;
      const payload = bytes.subarray(offset + HEADER_BYTES, end);
      yield { kind, value, stream: bytes.readUInt32BE(offset + 1), payload };
      offset = end;
    }
    this.#rest = bytes.subarray(offset);
  }
}

function payloadLength(kind: number, value: number): number {
  if (kind !== FrameKind.hello && kind !== FrameKind.data) return 0;
  if (value > MAXIMUM_PAYLOAD) throw new EgressProtocolError(`a frame of ${value} bytes`);
  return value;
}
