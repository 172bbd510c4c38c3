import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startRedisCluster, startRedisSentinels } from '@millrace/scaled-system';
import type { RedisMachines } from '@millrace/scaled-system';
import { createLogger } from '@millrace/service';
import { until, untilSuccess } from '@millrace/service/testing';
import { KeyValueUnavailableError } from '../key-value-store';
import type { KeyValueStore } from '../key-value-store';
import { describeKeyValueStore } from '../key-value-store.contract';
import { openRedisStore } from './open-redis-store';

const logger = createLogger({ name: 'test', level: 'silent' });
const CERTIFICATES = join(__dirname, '..', '..', '..', 'connections', 'src', 'testing', 'tls');
const pem = (name: string) => join(CERTIFICATES, `${name}.pem`);
const tls = {
  ca: pem('ca'),
  server: [pem('server'), pem('server-key')],
  client: [pem('client'), pem('client-key')],
} as const;
const PASSWORD = 'p@ss:word';
/** Of the braces alone, a cluster chooses the node: that of the key `key`, whatever the prefix. */
const KEY = '{key}';

describe.each([
  ['Sentinel', () => startRedisSentinels({ password: PASSWORD })],
  ['Cluster', () => startRedisCluster({ password: PASSWORD })],
])('Redis %s', (kind, start) => {
  let machines: RedisMachines;
  const open = (prefix = 'test:') =>
    openRedisStore({ url: machines.url, prefix, name: 'test', logger, timeoutMilliseconds: 1_000 });

  beforeAll(async () => {
    machines = await start();
  });

  afterAll(() => machines.stop());

  describeKeyValueStore(`Redis ${kind}`, () => open());

  test('keys of every node are found', async () => {
    const store = await open(`${randomUUID()}:`);
    const keys = Array.from({ length: 100 }, (_, index) => `key-${index}`);
    await store.batch(keys.map((key) => ({ command: 'set', key, value: key })));
    expect((await store.keys('key-', 1_000)).sort()).toEqual([...keys].sort());
    await store.delete(keys);
    expect(await store.keys('key-', 1_000)).toEqual([]);
    await store.close();
  });

  // Many clients: some ask for the primary at the moment in which its successor is announced.
  test('after its primary was killed, writes of 40 clients reach the promoted replica, three times', async () => {
    const stores = await Promise.all(Array.from({ length: 40 }, () => open('failover:')));
    for (let round = 0; round < 3; round += 1) await loseThePrimary(stores, `round-${round}`);
    await Promise.all(stores.map((store) => store.close()));
  });

  async function loseThePrimary(stores: readonly KeyValueStore[], key: string): Promise<void> {
    await Promise.all(stores.map((store) => untilSuccess(() => store.set(KEY, key))));
    const [primary] = await Promise.all([machines.primary(), untilInStep()]);
    await primary.kill();
    const killedAt = performance.now();
    const promoted = async () => (await machines.primary().catch(() => primary)).port !== primary.port;
    await until(promoted, 'a replica is promoted', 60_000);
    await Promise.all(
      stores.map((store) =>
        untilSuccess(async () => expect(await store.set(KEY, `${key}-after`)).toBe(true)),
      ),
    );
    const seconds = (performance.now() - killedAt) / 1_000;
    process.stdout.write(`${kind}: writes again ${seconds.toFixed(1)} s after the kill\n`);
    await primary.start();
    for (const store of stores) expect(await store.get(KEY)).toBe(`${key}-after`);
    await untilInStep();
  }

  /** Resolves when every replica follows its primary. */
  async function untilInStep(): Promise<void> {
    await until(
      async () => {
        // A node that was just started may still refuse or reset connections.
        const answers = await Promise.all(
          machines.nodes.map((node) => node.command('info', 'replication').catch(() => '')),
        );
        const replicas = answers.filter((text) => text.includes('role:slave'));
        return (
          replicas.length * 2 === answers.length &&
          replicas.every((text) => text.includes('master_link_status:up'))
        );
      },
      'the replicas are in step',
      60_000,
    );
  }
});

test.each([
  ['Sentinel', startRedisSentinels],
  ['Cluster', startRedisCluster],
])('Redis %s is reached over TLS, and its certificates are checked', async (_, start) => {
  const machines = await start({ tls });
  const open = (authority: string) =>
    openRedisStore({
      url: machines.url,
      tls: { ca: readFileSync(pem(authority), 'utf8') },
      prefix: 'tls:',
      name: 'test',
      logger,
      timeoutMilliseconds: 1_000,
    });
  try {
    const store = await open('ca');
    await untilSuccess(() => store.set('key', 'encrypted'));
    expect(await store.get('key')).toBe('encrypted');
    await store.close();
    const distrustful = await open('other-ca');
    await expect(distrustful.get('key')).rejects.toThrow(KeyValueUnavailableError);
    await distrustful.close();
  } finally {
    await machines.stop();
  }
});
