import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { createServer as createHttpServer } from 'node:http';
import { createOutgoingFetch } from './create-outgoing-fetch';
import { OutgoingRefusedError } from './outgoing-refused-error';

let inside: Server;
let connections = 0;
let port: number;

beforeAll(async () => {
  // On all IPv4 and IPv6 addresses of this machine, so that every connection that gets out is counted.
  inside = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  inside.listen(0, '::');
  await once(inside, 'listening');
  ({ port } = inside.address() as AddressInfo);
});
beforeEach(() => void (connections = 0));
afterAll(async () => {
  inside.close();
  await once(inside, 'close');
});

const hostile = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '0x7f000001',
  '0x7f.1',
  '2130706433',
  '017700000001',
  '0177.0.0.1',
  '0',
  '0.0.0.0',
  '127.0.0.1.',
  '127.255.255.254',
  '①②⑦.⓪.⓪.①',
  '127。0。0。1',
  'user:password@127.0.0.1',
  'localhost',
  'LOCALHOST',
  '[::]',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2001:0:7f00:1::1]',
  '[fe80::1]',
  '[fec0::1]',
  '[fd00::1]',
  '[fc00::1]',
  '[ff02::1]',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.0.1',
  '169.254.169.254',
  '100.64.0.1',
  '224.0.0.1',
];

const outcome = (promise: Promise<unknown>) =>
  promise.then(
    () => 'reached',
    (error: unknown) => error,
  );

test('the listener counts connections', async () => {
  const allowed = createOutgoingFetch({ allow: ['127.0.0.1/32'] });
  await outcome(allowed(`http://127.0.0.1:${port}/`));
  await allowed.close();
  expect(connections).toBe(1);
});

test.each(hostile)('S8: %s is refused before anything is dialled', async (host) => {
  const outgoing = createOutgoingFetch({ allow: [] });
  expect(await outcome(outgoing(`http://${host}:${port}/`))).toBeInstanceOf(OutgoingRefusedError);
  await outgoing.close();
  expect(connections).toBe(0);
});

test.each(hostile)('S8: a redirect to %s is refused before anything is dialled', async (host) => {
  const location = `http://${encodeURI(host).replaceAll('%5B', '[').replaceAll('%5D', ']')}:${port}/`;
  const server = createHttpServer((_request, response) => response.writeHead(302, { location }).end());
  server.listen(0, '127.0.0.77');
  await once(server, 'listening');
  const start = (server.address() as AddressInfo).port;
  const outgoing = createOutgoingFetch({ allow: ['127.0.0.77/32'] });
  expect(await outcome(outgoing(`http://127.0.0.77:${start}/`))).toBeInstanceOf(OutgoingRefusedError);
  await outgoing.close();
  server.close();
  await once(server, 'close');
  expect(connections).toBe(0);
});
