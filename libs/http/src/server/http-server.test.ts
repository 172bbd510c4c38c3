import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { once } from 'node:events';
import { HttpServer } from '../index';

const CALLERS = 200;
const address = { host: '127.0.0.1', port: 0 };
let server: HttpServer;
const sockets: Socket[] = [];

beforeEach(() => {
  server = new HttpServer({}, (_, response) => response.end('answer'));
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
});

function call(port: number): Socket {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  sockets.push(socket);
  return socket;
}

test('accepts more than one connection in a turn of the event loop', async () => {
  const port = await server.listenAt(address);
  let accepted = 0;
  let most = 0;
  let inTurn = 0;
  server.on('connection', () => {
    accepted += 1;
    inTurn += 1;
    most = Math.max(most, inTurn);
  });
  for (let count = 0; count < CALLERS; count += 1) call(port);
  while (accepted < CALLERS) {
    await new Promise((resolve) => setImmediate(resolve));
    inTurn = 0;
  }
  // The system chooses the socket of each connection by its addresses.
  expect(most).toBeGreaterThan(process.platform === 'linux' ? 8 : 0);
});

test('answers on each socket, and counts the connections of all', async () => {
  const port = await server.listenAt(address);
  const answers = await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      const socket = call(port);
      socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
      const [data] = (await once(socket, 'data')) as [Buffer];
      return data.toString().endsWith('answer\r\n0\r\n\r\n') || data.toString().endsWith('answer');
    }),
  );
  expect(answers.filter((isAnswer) => isAnswer)).toHaveLength(CALLERS);
  const count = await new Promise((resolve) => server.getConnections((_, all) => resolve(all)));
  expect(count).toBe(CALLERS);
});

test('a port in use is refused, also by the same user, and free after the close', async () => {
  const port = await server.listenAt(address);
  const second = new HttpServer({}, () => undefined);
  await expect(second.listenAt({ ...address, port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  await new Promise<void>((resolve) => server.close(() => resolve()));
  expect(await second.listenAt({ ...address, port })).toBe(port);
  await new Promise<void>((resolve) => second.close(() => resolve()));
});

test('the close waits for the requests of all sockets, and accepts nothing more', async () => {
  const answers: (() => void)[] = [];
  server = new HttpServer({}, (_, response) => void answers.push(() => response.end('late')));
  const port = await server.listenAt(address);
  const callers = Array.from({ length: 20 }, () => call(port));
  for (const caller of callers) caller.write('GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
  while (answers.length < callers.length) await new Promise((resolve) => setImmediate(resolve));
  let isClosed = false;
  const closed = new Promise<void>((resolve) =>
    server.close(() => {
      isClosed = true;
      resolve();
    }),
  );
  const [error] = (await once(connect(port, '127.0.0.1'), 'error')) as [NodeJS.ErrnoException];
  expect([error.code, isClosed]).toEqual(['ECONNREFUSED', false]);
  for (const answer of answers) answer();
  await closed;
});

test('holds the maximum of connections over all sockets', async () => {
  server.maxConnections = 10;
  const port = await server.listenAt(address);
  const callers = Array.from({ length: 100 }, () => call(port));
  await Promise.all(callers.map((caller) => once(caller, 'connect')));
  const isDropped = (caller: Socket) =>
    new Promise<boolean>((resolve) => {
      caller.once('close', () => resolve(true));
      caller.once('data', () => resolve(false));
      caller.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
    });
  const dropped = await Promise.all(callers.map(isDropped));
  const kept = dropped.filter((isOver) => !isOver).length;
  expect((server.address() as AddressInfo).port).toBe(port);
  expect(kept).toBe(10);
});
