import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

export interface RedisServerUnderTest {
  readonly port: number;
  /** Lists by `database/key`, newest first. */
  readonly lists: ReadonlyMap<string, readonly string[]>;
  close(): Promise<void>;
}

/** A server that implements as much of Redis' protocol as a chat memory needs, with the password "right". */
export async function startRedisServer(): Promise<RedisServerUnderTest> {
  const lists = new Map<string, string[]>();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const session = { known: false, database: '0' };
    let text = '';
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1');
      const [whole, words] = commandIn(text);
      if (words === null) return;
      text = text.slice(whole.length);
      const reply = answer(words, session, lists);
      // In two parts, as a network can deliver it.
      socket.write(reply.slice(0, 3));
      socket.write(reply.slice(3));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    lists,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function commandIn(text: string): [string, readonly string[] | null] {
  const [head, count] = /^\*(\d+)\r\n/.exec(text) ?? [];
  if (head === undefined) return ['', null];
  let rest = text.slice(head.length);
  const words: string[] = [];
  for (let index = 0; index < Number(count); index += 1) {
    const [size, length] = /^\$(\d+)\r\n/.exec(rest) ?? [];
    if (size === undefined || rest.length < size.length + Number(length) + 2) return ['', null];
    words.push(Buffer.from(rest.slice(size.length, size.length + Number(length)), 'latin1').toString('utf8'));
    rest = rest.slice(size.length + Number(length) + 2);
  }
  return [text.slice(0, text.length - rest.length), words];
}

function answer(
  [name, ...words]: readonly string[],
  session: { known: boolean; database: string },
  lists: Map<string, string[]>,
): string {
  if (name === 'AUTH') {
    session.known = words.at(-1) === 'right';
    return session.known ? '+OK\r\n' : '-WRONGPASS invalid username-password pair or user is disabled.\r\n';
  }
  if (!session.known) return '-NOAUTH Authentication required.\r\n';
  const [first = '', second = '', third = ''] = words;
  const key = `${session.database}/${first}`;
  switch (name) {
    case 'SELECT':
      session.database = first;
      return '+OK\r\n';
    case 'LPUSH':
      lists.set(key, [second, ...(lists.get(key) ?? [])]);
      return `:${lists.get(key)?.length ?? 0}\r\n`;
    case 'LRANGE': {
      const found = (lists.get(key) ?? []).slice(Number(second), Number(third) + 1);
      return `*${found.length}\r\n${found.map((item) => `$${Buffer.byteLength(item)}\r\n${item}\r\n`).join('')}`;
    }
    default:
      return `-ERR unknown command '${name ?? ''}'\r\n`;
  }
}
