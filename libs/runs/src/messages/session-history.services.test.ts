import { randomUUID } from 'node:crypto';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { openKeyValueStore } from '@millrace/key-value';
import type { KeyValueStore } from '@millrace/key-value';
import { createLogger } from '@millrace/service';
import { MessageStore, RunStore, SessionHistory } from '../index';
import { openOnServer } from '../testing/open-test-database';
import type { TestDatabase } from '../testing/open-test-database';
import { interactiveRun, makeFlow, messageRow } from '../testing/test-parts';
import { describeSessionHistory } from './session-history.contract';

const address = process.env['REDIS_URL'];
if (address === undefined) throw new Error('REDIS_URL must name a Redis server for these tests');
const { hostname, port, pathname } = new URL(address);

const logger = createLogger({ name: 'test', level: 'silent' });
const prefix = `test-${randomUUID()}:`;
let stored: TestDatabase;
let keyValue: KeyValueStore;

beforeAll(async () => {
  keyValue = await openKeyValueStore({ url: address, prefix, logger, name: 'test' });
  stored = await openOnServer();
}, 60_000);
afterAll(async () => {
  await keyValue.delete(await keyValue.keys('', 10_000));
  await keyValue.close();
  await stored.close();
});

describeSessionHistory('Redis and PostgreSQL', () => ({ stored, keyValue }));

test('reads messages from the database during an outage of Redis, and none is missing afterwards', async () => {
  const redis = await startCuttableRedis();
  const cuttable = await openKeyValueStore({ url: redis.url, prefix, logger, name: 'test' });
  const flow = await makeFlow(stored.database);
  const history = new SessionHistory({
    keyValue: cuttable,
    messages: new MessageStore({ database: stored.database }),
    logger,
  });
  const texts = async () =>
    (await history.recent(flow.userId, flow.id, 'session', { limit: 100 })).map(({ text }) => text);
  const addMessage = async (text: string) => {
    const row = messageRow(flow, { text });
    const isHot = await history.append(flow.userId, flow.id, 'session', [row]);
    await new RunStore({ database: stored.database }).record([interactiveRun(flow, { messages: [row] })]);
    return isHot;
  };
  expect(await addMessage('before')).toBe(true);
  expect(await texts()).toEqual(['before']);
  redis.cut();
  expect(await addMessage('during')).toBe(false);
  expect(await texts()).toEqual(['before', 'during']);
  redis.restore();
  let isHot = false;
  for (let attempt = 1; attempt <= 60 && !isHot; attempt += 1) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    isHot = await addMessage(`after ${attempt}`);
    expect((await texts()).slice(0, 2)).toEqual(['before', 'during']);
  }
  expect(isHot).toBe(true);
  expect((await texts()).slice(0, 3)).toEqual(['before', 'during', 'after 1']);
  history.close();
  await cuttable.close();
  await redis.close();
});

/** A proxy to Redis whose connections can be cut. */
async function startCuttableRedis() {
  let isCut = false;
  const sockets = new Set<Socket>();
  const server = createServer((inside) => {
    if (isCut) return void inside.destroy();
    const outside = connect(Number(port === '' ? 6379 : port), hostname);
    for (const socket of [inside, outside]) {
      sockets.add(socket);
      socket
        .on('error', () => undefined)
        .on('close', () => [inside, outside].forEach((end) => end.destroy()));
    }
    inside.pipe(outside).pipe(inside);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = () => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`,
    cut,
    restore: () => void (isCut = false),
    close: async () => {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
