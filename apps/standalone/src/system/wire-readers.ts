/** Something a client asked of a server, as one word that all of its kind share, and what it carried. */
export interface Asked {
  readonly what: string;
  readonly bytes: number;
}

/** Reads the first whole unit of what a client sent: how long it is, and what it asks, if anything; null when incomplete. */
export type WireReader = (bytes: Buffer) => { readonly length: number; readonly asked?: Asked } | null;

const AMQP_HEADER_BYTES = 8;
const AMQP_FRAME_OVERHEAD = 8;
const METHOD_FRAME = 1;
const HEADER_FRAME = 2;
const PUBLISH = (60 << 16) | 40;

/** Messages published over one connection of AMQP 0-9-1, by exchange, with the length of their bodies. */
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
    return { length, asked: { what, bytes: Number(payload.readBigUInt64BE(4)) } };
  };
}

/** Commands sent over one connection of Redis, by name. */
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
    return { length: at, asked: { what: name, bytes: at } };
  };
}

/** `*3\r\n`: a kind, a number, the end of a line. */
function headerAt(bytes: Buffer, at: number, kind: string): { value: number; end: number } | null {
  const end = bytes.indexOf('\r\n', at, 'latin1');
  if (end < 0) return null;
  const text = bytes.toString('latin1', at, end);
  if (!text.startsWith(kind)) throw new Error(`Redis was sent ${JSON.stringify(text.slice(0, 40))}`);
  return { value: Number(text.slice(1)), end: end + 2 };
}

/** Statements executed over one connection of PostgreSQL, by name, or by how they begin. */
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
    if (kind === 'Q') return { length, asked: { what: beginning(first), bytes: length } };
    return kind === 'E' ? { length, asked: { what: bound, bytes: length } } : { length };
  };
}

function beginning(sql: string): string {
  return sql.replace(/\s+/g, ' ').trim().slice(0, 50);
}
