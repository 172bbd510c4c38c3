/**
 * Kinds of frames on the connection between a sealed process and the egress proxy, which multiplexes the streams of the
 * process (one stream per TCP connection of a client). The module docstring of `millrace_worker/sealing/egress_relay.py`
 * describes the encoding.
 */
export const FrameKind = {
  /** The first frame of the process: its payload is the label of the process in the log of the proxy. */
  hello: 0,
  /** Opens a stream; only the process sends it. */
  open: 1,
  data: 2,
  /** The sender sends no more data on the stream. */
  end: 3,
  /** Aborts the stream in both directions. */
  reset: 4,
  /** Permits the receiver of the frame to send more bytes on the stream. */
  credit: 5,
} as const;

/** Initial credit of each direction of a stream: the bytes that may be sent before a credit frame arrives. */
export const WINDOW_BYTES = 262_144;
/** Maximum length of the payload of a frame. */
export const MAXIMUM_PAYLOAD_BYTES = 65_536;
const HEADER_BYTES = 9;

export interface EgressFrame {
  readonly kind: number;
  /** 0 for a hello frame. */
  readonly streamId: number;
  /** The length of the payload; in a credit frame, the number of bytes that it permits. */
  readonly value: number;
  readonly payload: Buffer;
}

/** A sealed process broke the protocol: it sent an invalid frame, or more bytes than it had credit for. */
export class EgressProtocolError extends Error {
  readonly code = 'egress_protocol';

  constructor(message: string) {
    super(message);
    this.name = 'EgressProtocolError';
  }
}

/** Encodes the header of a frame; `value` is that of EgressFrame. */
export function frameHeader(kind: number, streamId: number, value: number): Buffer {
  const header = Buffer.allocUnsafe(HEADER_BYTES);
  header.writeUInt8(kind, 0);
  header.writeUInt32BE(streamId, 1);
  header.writeUInt32BE(value, 5);
  return header;
}

/** Splits the bytes of a connection into frames. Buffers at most one incomplete frame. */
export class EgressFrameDecoder {
  #incomplete: Buffer = Buffer.alloc(0);

  /** Yields the frames that are complete after this chunk. Throws EgressProtocolError. */
  *decode(chunk: Buffer): Generator<EgressFrame, void> {
    const bytes = this.#incomplete.length === 0 ? chunk : Buffer.concat([this.#incomplete, chunk]);
    let offset = 0;
    while (bytes.length - offset >= HEADER_BYTES) {
      const kind = bytes.readUInt8(offset);
      const value = bytes.readUInt32BE(offset + 5);
      const length = payloadLength(kind, value);
      const end = offset + HEADER_BYTES + length;
      if (end > bytes.length) break;
      const payload = bytes.subarray(offset + HEADER_BYTES, end);
      yield { kind, value, streamId: bytes.readUInt32BE(offset + 1), payload };
      offset = end;
    }
    this.#incomplete = bytes.subarray(offset);
  }
}

function payloadLength(kind: number, value: number): number {
  if (kind !== FrameKind.hello && kind !== FrameKind.data) return 0;
  if (value > MAXIMUM_PAYLOAD_BYTES)
    throw new EgressProtocolError(`a payload of ${value} bytes exceeds ${MAXIMUM_PAYLOAD_BYTES} bytes`);
  return value;
}
