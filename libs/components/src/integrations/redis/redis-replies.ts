import { ComponentError } from '@millrace/flow';

/** A reply of Redis: a text, a number, null, or a list of these. */
export type RedisReply = string | number | null | readonly RedisReply[] | RedisErrorReply;

/** An error reply of Redis. */
export class RedisErrorReply {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** A word of a command: a text in UTF-8, or bytes. */
export type RedisWord = string | Buffer;

/** Encodes a command in Redis' protocol. */
export function redisCommand(words: readonly RedisWord[]): Buffer {
  const parts = words.flatMap((word) => {
    const bytes = typeof word === 'string' ? Buffer.from(word) : word;
    return [Buffer.from(`$${bytes.length}\r\n`), bytes, Buffer.from('\r\n')];
  });
  return Buffer.concat([Buffer.from(`*${words.length}\r\n`), ...parts]);
}

/** Decodes replies from bytes as they arrive; keeps incomplete ones. */
export class RedisReplies {
  readonly #maximumBytes: number;
  #bytes: Buffer = Buffer.alloc(0);

  constructor(maximumBytes: number) {
    this.#maximumBytes = maximumBytes;
  }

  /** Adds bytes and returns the next complete reply, else undefined. */
  take(bytes: Buffer): RedisReply | undefined {
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
    if (this.#bytes.length > this.#maximumBytes) throw new ComponentError('The reply of Redis is too large.');
    const read = readReply(this.#bytes, 0);
    if (read === undefined) return undefined;
    this.#bytes = this.#bytes.subarray(read.end);
    return read.reply;
  }
}

interface Read {
  readonly reply: RedisReply;
  /** The offset at which the next reply begins. */
  readonly end: number;
}

function readReply(bytes: Buffer, start: number): Read | undefined {
  const lineEnd = bytes.indexOf('\r\n', start);
  if (lineEnd === -1) return undefined;
  const rest = bytes.toString('utf8', start + 1, lineEnd);
  const end = lineEnd + 2;
  switch (bytes.toString('latin1', start, start + 1)) {
    case '+':
      return { reply: rest, end };
    case '-':
      return { reply: new RedisErrorReply(rest), end };
    case ':':
      return { reply: Number(rest), end };
    case '$':
      return readText(bytes, end, Number(rest));
    case '*':
      return readList(bytes, end, Number(rest));
    default:
      throw new ComponentError('The server is not a Redis server.');
  }
}

function readText(bytes: Buffer, start: number, length: number): Read | undefined {
  if (length === -1) return { reply: null, end: start };
  const end = start + length;
  if (bytes.length < end + 2) return undefined;
  return { reply: bytes.toString('utf8', start, end), end: end + 2 };
}

function readList(bytes: Buffer, start: number, length: number): Read | undefined {
  const reply: RedisReply[] = [];
  let end = start;
  for (let index = 0; index < length; index += 1) {
    const read = readReply(bytes, end);
    if (read === undefined) return undefined;
    reply.push(read.reply);
    end = read.end;
  }
  return { reply, end };
}
