import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { createOutgoingDial, OutgoingRefusedError, TimeoutError } from '../index';
import type { OutgoingDial } from '../index';

interface Listener {
  readonly port: number;
  /** Number of connections that it has accepted. */
  connections(): number;
}

const closers: (() => Promise<unknown>)[] = [];
const run = new AbortController();
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

/** Starts an echo server on every address of this machine. */
async function startListener(): Promise<Listener> {
  let connections = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined).pipe(socket);
  }).listen(0, '::');
  await once(server, 'listening');
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return { port: (server.address() as AddressInfo).port, connections: () => connections };
}

function dialling(allow: string[], addresses: Record<string, string[]> = {}): OutgoingDial {
  return createOutgoingDial({
    allow,
    resolve: (hostname, callback) => {
      const found = addresses[hostname] ?? [];
      callback(
        null,
        found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    },
  });
}

const refusal = (promise: Promise<Socket>): Promise<unknown> =>
  promise.then(
    (socket) => {
      socket.destroy();
      return 'reached';
    },
    (error: unknown) => error,
  );

test('hostile addresses are refused before a connection is made', async () => {
  const { port, connections } = await startListener();
  const names = {
    'one.test': ['127.0.0.1'],
    'two.test': ['8.8.8.8', '::ffff:127.0.0.1'],
    'six.test': ['::1'],
  };
  const hosts = [
    '127.0.0.1',
    '127.0.0.2',
    '0.0.0.0',
    '::1',
    '[::1]',
    '::ffff:127.0.0.1',
    '[::ffff:7f00:1]',
    '::',
  ];
  const literals = ['10.0.0.1', '169.254.169.254', '64:ff9b::7f00:1', '2002:7f00:1::', 'fe80::1', ''];
  for (const host of [...hosts, ...literals, ...Object.keys(names)]) {
    expect(await refusal(dialling([], names)({ host, port }, run.signal))).toBeInstanceOf(
      OutgoingRefusedError,
    );
  }
  expect(connections()).toBe(0);
});

test.each(['localhost', '127.1', '0x7f000001', '2130706433', '0177.0.0.1'])(
  'checks the address that the system resolves %s to',
  async (host) => {
    const { port, connections } = await startListener();
    const error = await refusal(createOutgoingDial({ allow: [] })({ host, port }, run.signal));
    expect(error).toBeInstanceOf(Error);
    expect(connections()).toBe(0);
  },
);

test('connects to the checked address, even if the name resolves differently the next time', async () => {
  const { port, connections } = await startListener();
  let lookups = 0;
  const dial = createOutgoingDial({
    allow: ['127.0.0.1/32'],
    resolve: (_hostname, callback) => {
      lookups += 1;
      callback(null, [{ address: lookups === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }]);
    },
  });
  expect(await refusal(dial({ host: 'rebind.test', port }, run.signal))).toBe('reached');
  expect(await refusal(dial({ host: 'rebind.test', port }, run.signal))).toBeInstanceOf(OutgoingRefusedError);
  expect(connections()).toBe(1);
});

test('carries bytes both ways to an allowed address', async () => {
  const { port } = await startListener();
  const socket = await dialling(['127.0.0.1/32'])({ host: '127.0.0.1', port }, run.signal);
  socket.write('hello');
  expect(String((await once(socket, 'data'))[0])).toBe('hello');
  socket.destroy();
});

test('the signal closes the connection, before it is open and after', async () => {
  const { port } = await startListener();
  const over = new AbortController();
  const dial = dialling(['127.0.0.1/32']);
  const socket = await dial({ host: '127.0.0.1', port }, over.signal);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const waiting = createOutgoingDial({ allow: [], resolve: () => undefined });
  const pending = refusal(waiting({ host: 'slow.test', port }, over.signal));
  const reason = new Error('the run is over');
  over.abort(reason);
  await closed;
  expect(await pending).toBe(reason);
  expect(await refusal(dial({ host: '127.0.0.1', port }, over.signal))).toBe(reason);
});

test('does not wait indefinitely', async () => {
  const dial = createOutgoingDial({ allow: [], resolve: () => undefined, connectMilliseconds: 20 });
  const error = await refusal(dial({ host: 'slow.test', port: 5432 }, run.signal));
  expect(error).toBeInstanceOf(TimeoutError);
  expect(error).toMatchObject({ message: 'slow.test:5432 did not accept a connection within 20 ms' });
});

test('reports a refused connection', async () => {
  const { port } = await startListener();
  await closers.pop()?.();
  const error = await refusal(dialling(['127.0.0.1/32'])({ host: '127.0.0.1', port }, run.signal));
  expect(error).toMatchObject({ code: 'ECONNREFUSED' });
});
