import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { createLogger } from '@millrace/service';
import { untilSuccess } from '@millrace/service/testing';
import { TcpProxy } from '@millrace/testing';
import { KeyValueUnavailableError } from '../key-value-store';
import type { KeyValueStore } from '../key-value-store';
import { describeKeyValueStore } from '../key-value-store.contract';
import { openRedisStore } from './open-redis-store';

const address = process.env['REDIS_URL'];
if (address === undefined) throw new Error('REDIS_URL must name a Redis server for these tests');
const url = address;

const logger = createLogger({ name: 'test', level: 'silent' });
const prefix = `test-${randomUUID()}:`;
const open = (): Promise<KeyValueStore> => openRedisStore({ url, prefix, name: 'test', logger });

describeKeyValueStore('Redis', open);

afterAll(async () => {
  const store = await open();
  await store.delete(await store.keys('', 1_000));
  await store.close();
});

test('stores with different prefixes are isolated', async () => {
  const mine = await open();
  const other = await openRedisStore({ url, prefix: `${prefix}other:`, name: 'test', logger });
  await mine.set('shared', 'mine');
  expect(await other.get('shared')).toBeNull();
  expect(await other.keys('', 10)).toEqual([]);
  await mine.delete(['shared']);
  await Promise.all([mine.close(), other.close()]);
});

const UNANSWERED = 'Redis did not answer within 100 ms';
const PAUSED = 'Redis did not answer recently; calls are paused for a moment';

describe('when Redis freezes', () => {
  let proxy: TcpProxy;
  let store: KeyValueStore;

  beforeEach(async () => {
    const { hostname, port, pathname } = new URL(url);
    proxy = await TcpProxy.listen({ host: hostname, port: Number(port === '' ? 6379 : port) });
    store = await openRedisStore({
      url: `redis://127.0.0.1:${proxy.port}${pathname}`,
      prefix,
      name: 'test',
      logger,
    });
    await store.set('kept', 'value', { ttlMilliseconds: 60_000 });
  });

  afterEach(async () => {
    await store.close();
    await proxy.close();
  });

  /** Makes a call that must fail; resolves to the reason. */
  async function failure(): Promise<string> {
    const error: unknown = await store.get('kept').then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(KeyValueUnavailableError);
    return (error as KeyValueUnavailableError).message;
  }

  test('a call fails after 100 ms, and after three of them calls fail without being sent', async () => {
    proxy.set({ isStalled: true });
    for (let call = 0; call < 3; call += 1) expect(await failure()).toBe(UNANSWERED);
    for (let call = 0; call < 20; call += 1) expect(await failure()).toBe(PAUSED);
  });

  test('one call a second probes the server, and the others are not sent', async () => {
    proxy.set({ isStalled: true });
    for (let call = 0; call < 3; call += 1) await failure();
    await pause(1_050);
    const trying = failure();
    await pause(10);
    expect(await failure()).toBe(PAUSED);
    expect(await trying).toBe(UNANSWERED);
    expect(await failure()).toBe(PAUSED);
  });

  test('calls succeed again within seconds after it recovers', async () => {
    proxy.set({ isStalled: true });
    for (let call = 0; call < 3; call += 1) await failure();
    await pause(2_500);
    proxy.clear();
    await expect(untilSuccess(() => store.get('kept'))).resolves.toBe('value');
  });

  test('a burst waits once, not once per call', async () => {
    proxy.set({ isStalled: true });
    const outcomes = await Promise.allSettled(Array.from({ length: 1_000 }, () => store.get('kept')));
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
    // The burst was one exchange, so that the next call is sent as well.
    expect(await failure()).toBe(UNANSWERED);
  });

  test('the store closes, and a call in flight fails', async () => {
    proxy.set({ isStalled: true });
    const pending = failure();
    await store.close();
    expect(await pending).toBe(UNANSWERED);
  });
});

describe('when Redis is unreachable', () => {
  test('calls fail, and succeed once it is reachable; the outage and its end are logged', async () => {
    const lines: { level: string; msg: string }[] = [];
    const destination = { write: (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[0]) };
    const countLines = (level: string, msg: string) =>
      lines.filter((line) => line.level === level && line.msg === msg).length;
    const { hostname, port, pathname } = new URL(url);
    const target = { host: hostname, port: Number(port === '' ? 6379 : port) };
    const proxy = await TcpProxy.listen(target);
    await proxy.close();
    const store = await openRedisStore({
      url: `redis://127.0.0.1:${proxy.port}${pathname}`,
      prefix,
      name: 'test',
      logger: createLogger({ name: 'test', level: 'debug', destination }),
    });
    await expect(store.ping()).rejects.toBeInstanceOf(KeyValueUnavailableError);
    await untilSuccess(async () => expect(countLines('warn', 'Redis connection failed')).toBeGreaterThan(1));
    const back = await TcpProxy.listen(target, { port: proxy.port });
    await expect(untilSuccess(() => store.ping())).resolves.toBeUndefined();
    expect(countLines('info', 'Redis connected')).toBe(1);
    await store.close();
    await back.close();
  });
});
