import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { portOf, TcpProxy, waitUntil } from './index.cjs';

let server: Server;
let proxy: TcpProxy;
const sockets = new Set<Socket>();

beforeEach(async () => {
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  proxy = await TcpProxy.listen({ host: '127.0.0.1', port: portOf(server) });
});

afterEach(async () => {
  await proxy.close();
  for (const socket of sockets) socket.destroy();
  server.close();
});

/** Connects a client; the end of the test resets its connection. */
function client(through = proxy): Socket {
  return connect(through.port, '127.0.0.1').on('error', () => undefined);
}

async function open(): Promise<Socket> {
  const socket = client();
  socket.write('x');
  await once(socket, 'data');
  return socket;
}

/** Sends a text and resolves to the echo when all of it has arrived. */
async function echo(text: string): Promise<string> {
  const socket = client();
  socket.write(text);
  let received = '';
  for await (const chunk of socket) {
    received += String(chunk);
    if (received.length >= text.length) break;
  }
  return received;
}

test('forwards data in order, delayed and in slices when set', async () => {
  const text = 'water falls on the wheel '.repeat(40);
  proxy.set({ delayMilliseconds: 30, sliceBytes: 7 });
  expect(await echo(text)).toBe(text);
  expect(proxy.counts.delayed).toBeGreaterThan(0);
  expect(proxy.counts.sliced).toBeGreaterThanOrEqual((2 * text.length) / 7);
});

test('holds data back while it is stalled, and forwards it afterwards', async () => {
  proxy.set({ isStalled: true });
  const answer = echo('after the storm');
  await waitUntil(() => expect(proxy.counts.held).toBe(1), { deadlineMilliseconds: 5_000 });
  proxy.clear();
  expect(await answer).toBe('after the storm');
});

test('cuts open connections and refuses new ones', async () => {
  const socket = await open();
  proxy.set({ isRefusing: true });
  const error = once(socket, 'error');
  expect(proxy.cut()).toBe(1);
  expect(await error).toMatchObject([{ code: 'ECONNRESET' }]);
  await echo('refused').catch(() => undefined);
  expect(proxy.counts.refused).toBe(1);
});

test('cuts the connection that sends certain bytes, before they arrive', async () => {
  const socket = await open();
  const received: string[] = [];
  socket.on('data', (chunk) => received.push(String(chunk)));
  const error = once(socket, 'error');
  let cuts = 0;
  proxy.cutAt(Buffer.from('now'), () => (cuts += 1));
  socket.write('before ');
  socket.write('and now');
  expect(await error).toMatchObject([{ code: 'ECONNRESET' }]);
  expect(received.join('')).not.toContain('now');
  expect(cuts).toBe(1);
  expect(await echo('now again')).toBe('now again');
});

test('sends bytes to a client that its server did not send', async () => {
  const socket = await open();
  const data = once(socket, 'data');
  proxy.inject(Buffer.from('injected'), { to: 'client' });
  expect(String((await data)[0])).toBe('injected');
  socket.destroy();
});

test('shows what clients send, for each connection', async () => {
  const seen: string[] = [];
  const observed = await TcpProxy.listen(
    { host: '127.0.0.1', port: portOf(server) },
    { observe: () => (chunk) => seen.push(String(chunk)) },
  );
  const socket = client(observed);
  socket.write('seen');
  await once(socket, 'data');
  expect(seen).toEqual(['seen']);
  await observed.close();
});
