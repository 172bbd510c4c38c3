import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { gatewayForTests, TEST_KEY } from '../testing/test-gateway';

const SOCKETS = 1_000;
const DRIP_MILLISECONDS = 1_000;
let flowId: string;
const gateway = gatewayForTests();
beforeAll(async () => {
  flowId = await gateway.createFlow({ name: 'slow', data: { nodes: [], edges: [] } });
}, 60_000);

const head = `POST /api/v1/run/x HTTP/1.1\r\nhost: a\r\nx-api-key: ${TEST_KEY}\r\n`;
/** The first bytes of a slow peer, which then sends one character at a time. */
const beginnings = [
  '',
  'P',
  `${head}x-slow: `,
  `${head}content-length: 1000\r\n\r\n`,
  `${head}transfer-encoding: chunked\r\n\r\n3e8\r\n`,
  `POST /api/v1/webhook/x HTTP/1.1\r\nhost: a\r\ncontent-length: 1000\r\n\r\n`,
];

test('S6: a thousand slow senders are all disconnected while others are served', async () => {
  const sockets = await Promise.all(Array.from({ length: SOCKETS }, () => open()));
  const closed = sockets.map((socket) => once(socket, 'close'));
  sockets.forEach((socket, index) => socket.write(beginnings[index % beginnings.length] ?? ''));
  const sendSlowly = setInterval(() => {
    sockets.forEach((socket, index) => {
      // The first kind never sends a byte.
      if (index % beginnings.length > 0 && socket.writable) socket.write('x');
    });
  }, DRIP_MILLISECONDS);
  const good: number[] = [];
  const served: Promise<void>[] = [];
  const serving = setInterval(() => {
    const read = () => gateway.call('GET', `/api/v1/flows/${flowId}`);
    // A client that reuses a connection at the moment when it is closed retries on another one.
    const one = read()
      .catch(read)
      .then(({ status }) => void good.push(status));
    served.push(one);
  }, 100);
  await Promise.all(closed);
  clearInterval(sendSlowly);
  clearInterval(serving);
  await Promise.all(served);
  expect(good.length).toBeGreaterThan(10);
  expect(new Set(good)).toEqual(new Set([200]));
  const connections = await new Promise<number>((resolve, reject) =>
    gateway.gateway.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );
  // The connections of the good callers are kept alive; none of the slow ones is left.
  expect(connections).toBeLessThan(SOCKETS / 10);
}, 120_000);

async function open(): Promise<Socket> {
  const socket = connect(gateway.port, '127.0.0.1');
  socket.on('error', () => undefined).resume();
  await once(socket, 'connect');
  return socket;
}
