/** A request of a client to a server: its kind and its size. */
export interface WireRequest {
  readonly what: string;
  readonly bytes: number;
}

/**
 * Reads the first complete unit of the bytes that a client sent: its length, and the request if it is one; null when
 * incomplete.
 */
export type WireReader = (
  bytes: Buffer,
) => { readonly length: number; readonly request?: WireRequest } | null;

const AMQP_HEADER_BYTES = 8;
const AMQP_FRAME_OVERHEAD = 8;
const METHOD_FRAME = 1;
const HEADER_FRAME = 2;
const PUBLISH = (60 << 16) | 40;

/**
 * Reads the messages that are published over an AMQP 0-9-1 connection, by exchange, with the length of their bodies.
 */
export function amqpReader(): WireReader {
  const exchanges = new Map<number, string>();
  let hasBegun = false;
  return (bytes) => {
    if (!hasBegun) {
      if (bytes.length < AMQP_HEADER_BYTES) return null;
      hasBegun = true;
      return { length: AMQP_HEADER_BYTES };
    }
    if (bytes.length < AMQP_FRAME_OVERHEAD) return null;
    const channel = bytes.readUInt16BE(1);
    const length = bytes.readUInt32BE(3) + AMQP_FRAME_OVERHEAD;
    if (bytes.length < length) return null;
    const payload = bytes.subarray(7, length - 1);
    if (bytes[0] === METHOD_FRAME && payload.readUInt32BE(0) === PUBLISH)
      exchanges.set(channel, payload.toString('latin1', 7, 7 + payload.readUInt8(6)));
    if (bytes[0] !== HEADER_FRAME) return { length };
    const what = exchanges.get(channel) || 'straight to a queue';
    return { length, request: { what, bytes: Number(payload.readBigUInt64BE(4)) } };
  };
}

/** Reads the commands that are sent over a Redis connection, by name. */
export function redisReader(): WireReader {
  return (bytes) => {
    const words = headerAt(bytes, 0, '*');
    if (words === null) return null;
    let at = words.end;
    let name = '';
    for (let word = 0; word < words.value; word += 1) {
      const text = headerAt(bytes, at, '$');
      if (text === null || bytes.length < text.end + text.value + 2) return null;
      if (word === 0) name = bytes.toString('latin1', text.end, text.end + text.value).toLowerCase();
      at = text.end + text.value + 2;
    }
    return { length: at, request: { what: name, bytes: at } };
  };
}

/** Reads a header such as `*3\r\n`: a kind, a number, the end of the line. */
function headerAt(bytes: Buffer, at: number, kind: string): { value: number; end: number } | null {
  const end = bytes.indexOf('\r\n', at, 'latin1');
  if (end < 0) return null;
  const text = bytes.toString('latin1', at, end);
  if (!text.startsWith(kind))
    throw new Error(`unexpected Redis request ${JSON.stringify(text.slice(0, 40))}`);
  return { value: Number(text.slice(1)), end: end + 2 };
}

/** Reads the statements that are executed over a PostgreSQL connection, by name or by their first characters. */
export function postgresReader(): WireReader {
  const names = new Map<string, string>();
  let bound = '';
  let hasBegun = false;
  return (bytes) => {
    const lengthAt = hasBegun ? 1 : 0;
    if (bytes.length < lengthAt + 4) return null;
    const length = bytes.readUInt32BE(lengthAt) + lengthAt;
    if (bytes.length < length) return null;
    if (!hasBegun) {
      hasBegun = true;
      return { length };
    }
    const texts = bytes.toString('utf8', 5, length).split('\0');
    const [first = '', second = ''] = texts;
    const kind = bytes.toString('latin1', 0, 1);
    if (kind === 'P') names.set(first, first || beginning(second));
    if (kind === 'B') bound = names.get(second) ?? second;
    if (kind === 'Q') return { length, request: { what: beginning(first), bytes: length } };
    return kind === 'E' ? { length, request: { what: bound, bytes: length } } : { length };
  };
}

function beginning(sql: string): string {
  return sql.replace(/\s+/g, ' ').trim().slice(0, 50);
}
