import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { startPostgresPair, startRedisCluster, startRedisSentinels } from '@millrace/scaled-system';
import { Client } from 'pg';
import { startTestSystem } from '../system/test-system';
import type { TestSystem } from '../system/test-system';

/** Failovers of each kind; three for the figures of the documentation. */
const ROUNDS = Number(process.env['TEST_FAILOVERS'] ?? 1);
const CALLERS = 8;
const BEFORE_MILLISECONDS = 3_000;
const AFTER_MILLISECONDS = 5_000;
const SETTLE_MILLISECONDS = 180_000;

/** Servers on several machines, one of which can be lost. */
interface Machines {
  readonly urls: { readonly database?: string; readonly keyValue?: string };
  /** Kills the machine that accepts writes; resolves when another one does. */
  lose(): Promise<void>;
  /** Where the runs are afterwards; undefined for the database of the suite. */
  readonly databaseAfterwards?: string;
  stop(): Promise<void>;
}

async function postgres(isSynchronous: boolean): Promise<Machines> {
  const pair = await startPostgresPair({ isSynchronous });
  return {
    urls: { database: pair.url },
    async lose() {
      await pair.primary.kill();
      await pair.standby.promote();
    },
    databaseAfterwards: pair.standby.url,
    stop: () => pair.stop(),
  };
}

async function redis(start: typeof startRedisSentinels): Promise<Machines> {
  const machines = await start();
  return {
    urls: { keyValue: machines.url },
    async lose() {
      const primary = await machines.primary();
      await primary.kill();
      const promoted = async () => (await machines.primary().catch(() => primary)).port !== primary.port;
      while (!(await promoted())) await pause(200);
    },
    stop: () => machines.stop(),
  };
}

interface Load {
  readonly accepted: Set<string>;
  readonly keys: Set<string>;
  /** By performance.now(), in order. */
  readonly acceptedAt: number[];
}

/** Callers of webhooks, sent once, and of runs with a key, repeated until they are answered. */
async function applyLoad(system: TestSystem, flows: Flows, stopped: AbortSignal): Promise<Load> {
  const load: Load = { accepted: new Set(), keys: new Set(), acceptedAt: [] };
  const webhook = async () => {
    const body = { customer: 'c', quantity: 1, product: 'x' };
    const response = await system.post(`/api/v1/webhook/${flows.webhook.endpoint}`, body);
    if (response.status !== 202) return void (await response.arrayBuffer());
    load.accepted.add(((await response.json()) as { run_id: string }).run_id);
    load.acceptedAt.push(performance.now());
  };
  const run = async () => {
    const key = randomUUID();
    const headers = { ...system.headers, 'idempotency-key': key };
    for (;;) {
      const response = await system
        .post(`/api/v1/run/${flows.run.endpoint}`, { input_value: key }, { headers })
        .catch(() => undefined);
      const text = await response?.text();
      if (response?.status === 200) {
        expect(text).toContain(key);
        load.keys.add(key);
        return;
      }
      await pause(100);
    }
  };
  const repeat = async (act: () => Promise<void>) => {
    while (!stopped.aborted) await act().catch(() => pause(50));
  };
  await Promise.all(Array.from({ length: CALLERS }, (_, index) => repeat(index % 2 === 0 ? webhook : run)));
  return load;
}

interface Flows {
  readonly webhook: { readonly id: string; readonly endpoint: string };
  readonly run: { readonly id: string; readonly endpoint: string };
}

/** Waits until every stored run has ended; returns how many accepted runs are lost and how many are doubled. */
async function countRuns(database: Client, flows: Flows, load: Load) {
  const giveUpAt = Date.now() + SETTLE_MILLISECONDS;
  const number = async (text: string, values: unknown[]) =>
    Number((await database.query<{ count: string }>(text, values)).rows[0]?.count);
  const flowIds = [flows.webhook.id, flows.run.id];
  const open = `SELECT count(*) FROM runs WHERE flow_id = ANY($1) AND status IN ('accepted', 'queued', 'running')`;
  while ((await number(open, [flowIds])) > 0 && Date.now() < giveUpAt) await pause(500);
  const ended = `SELECT count(*) FROM runs WHERE id = ANY($1) AND status = 'succeeded'`;
  const messages = `SELECT count(*) FROM (SELECT FROM messages WHERE flow_id = $1 AND run_id IS NOT NULL
    GROUP BY run_id HAVING count(*) > 1) AS doubled`;
  const webhooks = await number(ended, [[...load.accepted]]);
  const runs = await number('SELECT count(*) FROM runs WHERE flow_id = $1', [flows.run.id]);
  return {
    lost: load.accepted.size - webhooks + Math.max(0, load.keys.size - runs),
    doubled: Math.max(0, runs - load.keys.size) + (await number(messages, [flows.webhook.id])),
  };
}

const kinds: [string, boolean, () => Promise<Machines>][] = [
  ['PostgreSQL, synchronous', true, () => postgres(true)],
  ['PostgreSQL, asynchronous', false, () => postgres(false)],
  ['Redis Sentinel', true, () => redis(startRedisSentinels)],
  ['Redis Cluster', true, () => redis(startRedisCluster)],
];

test.each(kinds)(
  '%s: a machine is lost under load, accepted runs end once',
  async (kind, losesNothing, start) => {
    for (let round = 1; round <= ROUNDS; round += 1) {
      const machines = await start();
      const system = await startTestSystem({
        pools: { default: 2 },
        environment: { LOG_LEVEL: 'info' },
        route: async (urls) => ({ ...urls, ...machines.urls }),
      });
      try {
        const flows = { webhook: await system.upload('order-webhook'), run: await system.upload('echo') };
        const stop = new AbortController();
        const loading = applyLoad(system, flows, stop.signal);
        await pause(BEFORE_MILLISECONDS);
        const lostAt = performance.now();
        await machines.lose();
        const replacedAt = performance.now();
        while (!(await isAccepting(system, flows))) await pause(100);
        const acceptingAt = performance.now();
        await pause(AFTER_MILLISECONDS);
        stop.abort();
        const load = await loading;
        const { databaseAfterwards } = machines;
        const client = databaseAfterwards && new Client({ connectionString: databaseAfterwards });
        if (client) await client.connect();
        const counts = await countRuns(client || system.database, flows, load);
        if (client) await client.end();
        const gap = Math.max(
          ...load.acceptedAt.slice(1).map((at, index) => at - (load.acceptedAt[index] ?? at)),
        );
        const seconds = (milliseconds: number) => (milliseconds / 1_000).toFixed(1);
        process.stdout.write(
          `${kind}, round ${round}: ${load.accepted.size} webhooks and ${load.keys.size} runs accepted, ` +
            `lost ${counts.lost}, doubled ${counts.doubled}; a successor after ${seconds(replacedAt - lostAt)} s, ` +
            `accepting after ${seconds(acceptingAt - lostAt)} s, longest gap ${seconds(gap)} s\n`,
        );
        expect(counts.doubled).toBe(0);
        if (losesNothing) expect(counts.lost).toBe(0);
      } finally {
        await system.stop();
        await machines.stop();
      }
    }
  },
);

async function isAccepting(system: TestSystem, { webhook }: Flows): Promise<boolean> {
  const response = await system
    .post(`/api/v1/webhook/${webhook.endpoint}`, { customer: 'probe' })
    .catch(() => null);
  await response?.arrayBuffer();
  return response?.status === 202;
}
