import { once } from 'node:events';
import { connect } from 'node:net';
import { forAllTests } from '@millrace/testing';
import { openTestIngest } from '../../testing/test-ingest';

const SOCKETS = 1_000;
const ingest = forAllTests(openTestIngest);
beforeAll(async () => {
  await ingest.newFlow('hook', { webhookAuth: 'off' });
}, 60_000);

const head = 'POST /api/v1/webhook/hook HTTP/1.1\r\nhost: a\r\n';
const beginnings = [
  '',
  'P',
  `${head}x-slow: `,
  `${head}content-length: 1000\r\n\r\n`,
  `${head}transfer-encoding: chunked\r\n\r\n3e8\r\n`,
];

test('S6: a thousand slow senders are all disconnected, while webhooks are accepted', async () => {
  const port = Number(new URL(ingest.url).port);
  const sockets = await Promise.all(
    Array.from({ length: SOCKETS }, async () => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined).resume();
      await once(socket, 'connect');
      return socket;
    }),
  );
  const closed = sockets.map((socket) => once(socket, 'close'));
  sockets.forEach((socket, index) => socket.write(beginnings[index % beginnings.length] ?? ''));
  const slowSending = setInterval(() => {
    sockets.forEach((socket, index) => {
      if (index % beginnings.length > 0 && socket.writable) socket.write('x');
    });
  }, 1_000);
  const answers: Promise<Response>[] = [];
  const sending = setInterval(() => {
    answers.push(fetch(`${ingest.url}/hook`, { method: 'POST', body: '{}' }));
  }, 100);
  try {
    await Promise.all(closed);
  } finally {
    clearInterval(slowSending);
    clearInterval(sending);
  }
  // The last webhook can still wait for its answer, which it must get before the server closes.
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 202).length).toBeGreaterThan(10);
  // A database that is briefly slow results in a 503; no other error is acceptable.
  expect(statuses.filter((status) => status !== 202 && status !== 503)).toEqual([]);
}, 120_000);
