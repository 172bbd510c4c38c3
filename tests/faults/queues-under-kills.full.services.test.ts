import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { connect } from 'amqplib';
import type { ConfirmChannel } from 'amqplib';
import { fixedLimits } from '@millrace/service';
import { startTestSystem } from '../system/test-system';
import type { TestSystem } from '../system/test-system';

/** How many messages have an id; increase it for a long manual run. A tenth as many have none. */
const MESSAGES = Number(process.env['TEST_QUEUE_MESSAGES'] ?? 400);
const WITHOUT_ID = Math.ceil(MESSAGES / 10);
/** Up to two leases, so that sources are taken over between kills. */
const BETWEEN_KILLS_MILLISECONDS = 2 * fixedLimits.queueLeaseMilliseconds;
/** How many messages are sent in a second, so that they are still arriving while processes are killed. */
const RATE = Math.max(10, MESSAGES / 200);
const QUEUE = `orders_${randomBytes(5).toString('hex')}`;

let system: TestSystem;
let channel: ConfirmChannel;
let close: () => Promise<void>;

beforeAll(async () => {
  // The processes that consume are those that are killed.
  system = await startTestSystem({ pools: { default: 2 } });
  await system.ingest.stop();
  const connection = await connect(process.env['AMQP_URL'] ?? '');
  close = async () => {
    await channel.deleteQueue(QUEUE);
    await connection.close();
  };
  channel = await connection.createConfirmChannel();
  await channel.assertQueue(QUEUE, { durable: true });
}, 120_000);

afterAll(async () => {
  await close?.();
  await system?.stop();
}, 60_000);

async function query<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
  return (await system.database.query(text, [...values])).rows as Row[];
}

async function count(text: string, values: readonly unknown[] = []): Promise<number> {
  return (await query<{ count: number }>(`SELECT count(*)::int AS count ${text}`, values))[0]?.count ?? 0;
}

/**
 * Kills one of two ingest services that consume, and an executor, again and again, and starts others in their places.
 * Resolves to the number of kills once the signal is aborted.
 */
async function kill(stopped: AbortSignal): Promise<number> {
  const startIngest = () =>
    system.startService({
      app: 'ingest',
      environment: { MILLRACE_INGEST_PORT: '0' },
    });
  const consuming = await Promise.all([startIngest(), startIngest()]);
  let kills = 0;
  while (!stopped.aborted) {
    await pause(500 + Math.random() * BETWEEN_KILLS_MILLISECONDS);
    const [ingest] = consuming.splice(Math.random() < 0.5 ? 0 : 1, 1);
    const [executor] = system.executors.splice(0, 1);
    for (const victim of [ingest, executor]) {
      victim?.kill();
      await victim?.exited;
      kills += 1;
    }
    const [next] = await Promise.all([
      startIngest(),
      system.startExecutor().then((started) => system.executors.push(started)),
    ]);
    consuming.push(next);
  }
  return kills;
}

/** Sends every message with an id, every twentieth of them twice, and further messages without an id. */
async function send(): Promise<void> {
  for (let n = 0; n < MESSAGES; n += 1) {
    const body = Buffer.from(JSON.stringify({ n }));
    const options = { persistent: true, messageId: `m-${n}` };
    channel.sendToQueue(QUEUE, body, options);
    if (n % 20 === 0) channel.sendToQueue(QUEUE, body, options);
    if (n % 10 === 0) channel.sendToQueue(QUEUE, body, { persistent: true });
    if (n % 20 !== 0) continue;
    await channel.waitForConfirms();
    await pause(20_000 / RATE);
  }
  await channel.waitForConfirms();
}

test('each message with an id has one run while processes are killed at random, and none is lost', async () => {
  const { id: flow } = await system.upload('echo');
  const value = process.env['AMQP_URL'] ?? '';
  const variable = { name: 'BROKER', value, type: 'Credential', default_fields: [] };
  expect((await system.post('/api/v1/variables/', variable)).status).toBe(201);
  const created = await system.post('/api/v1/triggers', {
    flow_id: flow,
    name: 'orders',
    kind: 'rabbitmq',
    state: 'active',
    concurrency_limit: 100,
    config: { connection: 'BROKER', queue: QUEUE, prefetch: 200 },
  });
  expect(created.status).toBe(201);
  const { id: trigger } = (await created.json()) as { readonly id: string };
  const stop = new AbortController();
  const killing = kill(stop.signal);
  await send();
  const stored = () => count(`FROM trigger_events WHERE trigger_id = $1`, [trigger]);
  const giveUpAt = Date.now() + 300_000;
  const left = async () => (await channel.checkQueue(QUEUE)).messageCount;
  while ((await stored()) < MESSAGES + WITHOUT_ID && Date.now() < giveUpAt) await pause(500);
  stop.abort();
  const kills = await killing;
  const unfinished = () => count(`FROM runs WHERE flow_id = $1 AND finished_at IS NULL`, [flow]);
  while (((await left()) > 0 || (await unfinished()) > 0) && Date.now() < giveUpAt) await pause(500);

  // What is acknowledged is not in the queue any more: each must have its row.
  const keys = await query<{ key: string; runs: number }>(
    `SELECT dedupe_key AS key, count(*)::int AS runs FROM trigger_events WHERE trigger_id = $1
      AND dedupe_key LIKE 'id:%' GROUP BY dedupe_key`,
    [trigger],
  );
  const withoutId = await count(`FROM trigger_events WHERE trigger_id = $1 AND dedupe_key LIKE 'message:%'`, [
    trigger,
  ]);
  const ends = await query<{ status: string; count: number }>(
    `SELECT status, count(*)::int AS count FROM runs WHERE flow_id = $1 GROUP BY status`,
    [flow],
  );
  process.stdout.write(
    `${MESSAGES} messages with ids: ${keys.length} events; ${WITHOUT_ID} without: ${withoutId} events; ${kills} kills: ${JSON.stringify(ends)}\n`,
  );
  expect(kills).toBeGreaterThan(0);
  expect(await left()).toBe(0);
  const expected = Array.from({ length: MESSAGES }, (_, n) => `id:m-${n}`);
  expect(keys.map(({ key }) => key).toSorted()).toEqual(expected.toSorted());
  expect(keys.every(({ runs }) => runs === 1)).toBe(true);
  expect(withoutId).toBeGreaterThanOrEqual(WITHOUT_ID);
  expect(ends).toEqual([{ status: 'succeeded', count: MESSAGES + withoutId }]);
}, 900_000);
