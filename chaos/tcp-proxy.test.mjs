import { deepEqual, equal, ok } from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { after, before, test } from 'node:test';
import { TcpProxy } from './tcp-proxy.mjs';

let server;
let proxy;

before(async () => {
  server = createServer((socket) => socket.on('error', () => undefined).pipe(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  proxy = await TcpProxy.listen({ host: '127.0.0.1', port: server.address().port });
});

after(async () => {
  await proxy.close();
  server.close();
});

/** Sends a text and resolves to the echo when all of it has arrived. */
async function echo(text) {
  const socket = connect(proxy.port, '127.0.0.1');
  socket.write(text);
  let received = '';
  for await (const chunk of socket) {
    received += chunk;
    if (received.length >= text.length) break;
  }
  return received;
}

test('forwards data in order, delayed and in slices when set', async () => {
  const text = 'water falls on the wheel '.repeat(40);
  proxy.set({ delayMilliseconds: 30, sliceBytes: 7 });
  equal(await echo(text), text);
  ok(proxy.counts.delayed > 0);
  ok(proxy.counts.sliced >= (2 * text.length) / 7);
  proxy.clear();
});

test('holds data back while it is stalled, and forwards it afterwards', async () => {
  proxy.set({ isStalled: true });
  const answer = echo('after the storm');
  while (proxy.counts.held === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  proxy.clear();
  equal(await answer, 'after the storm');
});

test('cuts open connections and refuses new ones', async () => {
  const socket = connect(proxy.port, '127.0.0.1');
  socket.write('x');
  await once(socket, 'data');
  proxy.set({ isRefusing: true });
  const cut = proxy.cut();
  const [error] = await once(socket, 'error');
  deepEqual([cut, error.code], [1, 'ECONNRESET']);
  await echo('refused').catch(() => undefined);
  equal(proxy.counts.refused, 1);
  proxy.clear();
});
