import { startPostgresPair } from '@millrace/scaled-system';
import type { PostgresPair } from '@millrace/scaled-system';
import { createLogger, createMetrics } from '@millrace/service';
import type { Metrics } from '@millrace/service';
import { untilSuccess } from '@millrace/service/testing';
import type { Database } from '../../database';
import { openDatabase } from '../../open-database';
import { openReplicaReads } from './open-replica-reads';
import type { ListReads } from './open-replica-reads';

const logger = createLogger({ name: 'test', level: 'silent' });
const PORT = { text: `SELECT current_setting('port')::int AS port` };
const COUNT = { text: 'SELECT count(*)::int AS count FROM kept' };

let pair: PostgresPair;
let primary: Database;
let lists: ListReads;
let metrics: Metrics;

const port = ({ host }: { readonly host: string }) => Number(host.split(':')[1]);
const portOfReads = async () => (await lists.reads.query<{ port: number }>(PORT)).rows[0]?.port;
const count = async () => (await lists.reads.query<{ count: number }>(COUNT)).rows[0]?.count;
const add = () => primary.query({ text: 'INSERT INTO kept VALUES (1)' });

async function openReads(url: string | undefined): Promise<ListReads> {
  metrics = createMetrics();
  const common = { name: 'test', logger, metrics, maximumConnections: 3 };
  return openReplicaReads({ url, primary, tls: undefined, ...common });
}

beforeAll(async () => {
  pair = await startPostgresPair({ isSynchronous: false });
  primary = await openDatabase({ url: pair.primary.url, name: 'test', logger });
  await primary.query({ text: 'CREATE TABLE kept (id int)' });
}, 120_000);
afterAll(async () => {
  await primary?.close();
  await pair?.stop();
});
beforeEach(async () => {
  lists = await openReads(pair.standby.url);
  await untilSuccess(async () => expect(await portOfReads()).toBe(port(pair.standby)));
});
afterEach(() => lists.close());

test('each read of the replica has what was committed before it', async () => {
  const before = (await count()) ?? 0;
  for (let added = 1; added <= 100; added += 1) {
    await add();
    expect(await count()).toBe(before + added);
  }
  const text = await metrics.prometheusText();
  expect(text).toMatch(/millrace_replica_reads_total\{[^}]*server="replica"[^}]*\} \d+/u);
});

test('while the replica hangs or is behind, the primary serves, and later the replica again', async () => {
  await primary.query({ text: 'SELECT 1' });
  const before = (await count()) ?? 0;
  const standby = await openDatabase({ url: pair.standby.url, name: 'pauses', logger });
  await standby.query({ text: 'SELECT pg_wal_replay_pause()' });
  await add();
  expect(await count()).toBe(before + 1);
  expect(await portOfReads()).toBe(port(pair.primary));
  await standby.query({ text: 'SELECT pg_wal_replay_resume()' });
  await standby.close();
  await untilSuccess(async () => expect(await portOfReads()).toBe(port(pair.standby)));
  await pair.standby.kill();
  await add();
  expect(await count()).toBe(before + 2);
  await pair.standby.start();
  await untilSuccess(async () => expect(await portOfReads()).toBe(port(pair.standby)));
  expect(await count()).toBe(before + 2);
});

test('a transaction of reads has one server, and an error of a statement is that of the primary', async () => {
  const found = await lists.reads.transaction(async (connection) => {
    await connection.query({ text: `SELECT set_config('jit', 'off', true)` });
    return (await connection.query<{ port: number }>(PORT)).rows[0]?.port;
  });
  expect(found).toBe(port(pair.standby));
  await expect(lists.reads.query({ text: 'SELECT 1 / 0' })).rejects.toMatchObject({ sqlState: '22012' });
});

test('a server that is no standby of the primary serves nothing', async () => {
  const stranger = await startPostgresPair({ isSynchronous: false });
  for (const url of [pair.primary.url, stranger.standby.url, 'postgres://postgres@127.0.0.1:1/postgres']) {
    const reads = await openReads(url);
    const { rows } = await reads.reads.query<{ port: number }>(PORT);
    expect(rows[0]?.port).toBe(port(pair.primary));
    expect(await metrics.prometheusText()).toMatch(/server="primary"[^}]*\} 1/u);
    await reads.close();
  }
  await stranger.stop();
});

test('without a replica, the database itself serves', async () => {
  const reads = await openReads(undefined);
  expect(reads.reads).toBe(primary);
  await reads.close();
});
