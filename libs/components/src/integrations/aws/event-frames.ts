import { crc32 } from 'node:zlib';
import { ComponentError } from '@millrace/flow';

/** A message of an AWS event stream. */
export interface EventFrame {
  /** The headers with a text as value, such as `:event-type`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: Buffer;
}

const preludeBytes = 12;
const crcBytes = 4;
/** AWS limits a message to 24 MiB. */
const maximumBytes = 24 * 1_048_576;
const textType = 7;
/** The bytes of the values of the other header types; type 6 is a length and bytes. */
const valueBytes: Readonly<Record<number, number>> = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16 };

/**
 * Reads the messages of a body in the format `application/vnd.amazon.eventstream`. Throws a ComponentError for bytes
 * that are no such message.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/RESTSelectObjectAppendix.html
 */
export async function* eventFrames(
  parts: AsyncIterable<Uint8Array>,
  service: string,
): AsyncGenerator<EventFrame, void, undefined> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const part of parts) {
    rest = Buffer.concat([rest, part]);
    for (let length = lengthOf(rest, service); length !== null; length = lengthOf(rest, service)) {
      yield frameOf(rest.subarray(0, length), service);
      rest = rest.subarray(length);
    }
  }
  if (rest.length > 0) throw new ComponentError(`${service} ended its answer within a message.`);
}

/** Returns the length of the first message; null when it is not complete. */
function lengthOf(bytes: Buffer, service: string): number | null {
  if (bytes.length < preludeBytes) return null;
  const length = bytes.readUInt32BE(0);
  if (length < preludeBytes + crcBytes || length > maximumBytes) throw broken(service);
  if (bytes.readUInt32BE(8) !== crc32(bytes.subarray(0, 8))) throw broken(service);
  return bytes.length < length ? null : length;
}

function frameOf(frame: Buffer, service: string): EventFrame {
  const end = frame.length - crcBytes;
  if (frame.readUInt32BE(end) !== crc32(frame.subarray(0, end))) throw broken(service);
  const headersEnd = preludeBytes + frame.readUInt32BE(4);
  if (headersEnd > end) throw broken(service);
  return {
    headers: headersIn(frame.subarray(preludeBytes, headersEnd), service),
    payload: frame.subarray(headersEnd, end),
  };
}

function headersIn(bytes: Buffer, service: string): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  try {
    for (let at = 0; at < bytes.length;) {
      const nameEnd = at + 1 + bytes.readUInt8(at);
      const name = bytes.toString('utf8', at + 1, nameEnd);
      const type = bytes.readUInt8(nameEnd);
      const fixed = valueBytes[type];
      const start = nameEnd + 1 + (fixed === undefined ? 2 : 0);
      at = start + (fixed ?? bytes.readUInt16BE(nameEnd + 1));
      if (type === textType) headers[name] = bytes.toString('utf8', start, at);
    }
  } catch (error) {
    if (error instanceof RangeError) throw broken(service);
    throw error;
  }
  return headers;
}

function broken(service: string): ComponentError {
  return new ComponentError(`${service} sent a message that is not valid.`);
}
