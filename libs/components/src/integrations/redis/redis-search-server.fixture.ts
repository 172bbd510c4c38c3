import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { FakeVectorIndex } from '../vector-stores/fake-vector-index.fixture';

export interface RedisSearchServer {
  readonly port: number;
  close(): Promise<void>;
}

interface Index {
  readonly prefix: string;
  readonly field: string;
  readonly vectors: FakeVectorIndex;
}

/** A server that implements as much of Redis' query engine as a vector store needs, with the password "right". */
export async function startRedisSearchServer(): Promise<RedisSearchServer> {
  const indices = new Map<string, Index>();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const session = { known: false };
    let bytes: Buffer = Buffer.alloc(0);
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (part) => {
      bytes = Buffer.concat([bytes, part]);
      const read = commandIn(bytes);
      if (read === null) return;
      bytes = bytes.subarray(read.end);
      socket.write(answer(read.words, session, indices));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function commandIn(bytes: Buffer): { readonly words: readonly Buffer[]; readonly end: number } | null {
  let end = 0;
  const line = (): string | null => {
    const at = bytes.indexOf('\r\n', end);
    if (at === -1) return null;
    const text = bytes.toString('latin1', end, at);
    end = at + 2;
    return text;
  };
  const head = line();
  if (head === null) return null;
  const words: Buffer[] = [];
  for (let index = 0; index < Number(head.slice(1)); index += 1) {
    const size = line();
    const length = Number(size?.slice(1));
    if (size === null || bytes.length < end + length + 2) return null;
    words.push(bytes.subarray(end, end + length));
    end += length + 2;
  }
  return { words, end };
}

function answer(words: readonly Buffer[], session: { known: boolean }, indices: Map<string, Index>): string {
  const [name = '', first = '', ...rest] = words.map(String);
  if (name === 'AUTH') {
    session.known = words.at(-1)?.toString() === 'right';
    return session.known ? '+OK\r\n' : '-WRONGPASS invalid username-password pair or user is disabled.\r\n';
  }
  if (!session.known) return '-NOAUTH Authentication required.\r\n';
  if (name === 'FT.CREATE') return create(first, rest, indices);
  if (name === 'HSET') return store(first, words.slice(2), indices);
  if (name === 'FT.SEARCH') return search(indices.get(first), first, words.slice(2));
  return `-ERR unknown command '${name}'\r\n`;
}

function create(name: string, words: readonly string[], indices: Map<string, Index>): string {
  const pattern =
    /^ON HASH PREFIX 1 (\S+) SCHEMA content TEXT (\S+) VECTOR (?:FLAT|HNSW) 6 TYPE FLOAT32 DIM (\d+) DISTANCE_METRIC COSINE$/;
  const [, prefix, field = '', dimensions] = pattern.exec(words.join(' ')) ?? [];
  if (prefix === undefined || dimensions === '0') return '-Bad arguments for vector similarity\r\n';
  if (indices.has(name)) return '-Index already exists\r\n';
  indices.set(name, { prefix, field, vectors: new FakeVectorIndex(Number(dimensions)) });
  return '+OK\r\n';
}

function store(key: string, words: readonly Buffer[], indices: Map<string, Index>): string {
  if (words.length === 0 || words.length % 2 !== 0) {
    return "-ERR wrong number of arguments for 'hset' command\r\n";
  }
  const fields = new Map(
    words.flatMap((word, at) => (at % 2 === 0 ? [[String(word), words[at + 1]]] : [])) as [string, Buffer][],
  );
  for (const { prefix, field, vectors } of indices.values()) {
    const vector = numbersIn(fields.get(field));
    // Redis does not index a hash whose vector has another size.
    if (!key.startsWith(prefix) || vector.length !== vectors.dimensions) continue;
    const texts = [...fields]
      .filter(([name]) => name !== field)
      .map(([name, value]) => [name, String(value)]);
    vectors.put({ id: key, vector, fields: Object.fromEntries(texts) as Record<string, string> });
  }
  return `:${fields.size}\r\n`;
}

function search(index: Index | undefined, name: string, words: readonly Buffer[]): string {
  if (index === undefined) return `-${name}: no such index\r\n`;
  const [query = '', ...options] = words.map(String);
  const [, count, field] = /^\(\*\)=>\[KNN (\d+) @(\w+) \$vector AS distance\]$/.exec(query) ?? [];
  const fixed = options.filter((_, at) => at !== 3).join(' ');
  const expected = `PARAMS 2 vector SORTBY distance ASC RETURN 3 content metadata distance LIMIT 0 ${count ?? ''} DIALECT 2`;
  if (field !== index.field || fixed !== expected) return '-Syntax error at offset 0 near\r\n';
  const vector = numbersIn(words[4]);
  if (vector.length !== index.vectors.dimensions) {
    return `-Error parsing vector similarity query: query vector blob size (${vector.length * 4}) does not match index's expected size (${index.vectors.dimensions * 4}).\r\n`;
  }
  const found = index.vectors.nearest(vector, Number(count));
  const results = found.map(({ id, score, fields }) => {
    const pairs = [...Object.entries(fields), ['distance', String(1 - score)]].flat().map(String);
    return `${bulk(id)}*${pairs.length}\r\n${pairs.map(bulk).join('')}`;
  });
  return `*${1 + 2 * found.length}\r\n:${found.length}\r\n${results.join('')}`;
}

function bulk(text: string): string {
  return `$${Buffer.byteLength(text)}\r\n${text}\r\n`;
}

function numbersIn(bytes: Buffer | undefined): readonly number[] {
  if (bytes === undefined || bytes.length % 4 !== 0) return [];
  return Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
}
