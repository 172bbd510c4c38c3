import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startCountingProxy } from './counting-proxy';
import type { CountingProxy } from './counting-proxy';
import { startTestSystem } from './test-system';
import type { TestSystem } from './test-system';
import { amqpReader, postgresReader, redisReader } from './wire-readers';
import type { Asked } from './wire-readers';

/** What one run may cost. Counts, not times: they are the same on a busy machine. */
interface Costs {
  readonly sqlStatements: number;
  readonly brokerMessages: number;
  readonly brokerBytes: number;
  readonly redisCommands: number;
  readonly replyBytes: number;
}

const FILE = join(__dirname, '..', '..', '..', '..', 'bench', 'budget.json');
const budget = JSON.parse(readFileSync(FILE, 'utf8')) as Readonly<
  Record<'syncRun' | 'streamedRun' | 'webhook', Costs>
>;
/** Work that comes round by the clock, such as sweeping and heartbeats, is in few of the runs, so not in the median. */
const RUNS = 11;
const WARM_UP_RUNS = 3;
const QUIET_MILLISECONDS = 100;

let database: CountingProxy;
let broker: CountingProxy;
let keyValue: CountingProxy;
let system: TestSystem;

beforeAll(async () => {
  system = await startTestSystem({
    async route(urls) {
      database = await startCountingProxy(urls.database, postgresReader);
      broker = await startCountingProxy(urls.broker, amqpReader);
      keyValue = await startCountingProxy(urls.keyValue, redisReader);
      return { database: database.url, broker: broker.url, keyValue: keyValue.url };
    },
  });
}, 120_000);

afterAll(async () => {
  await system?.stop();
  for (const proxy of [database, broker, keyValue]) await proxy?.close();
}, 60_000);

/** Until the run has ended in the database and nothing more was asked because of it. */
async function settled(runId: string): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const { rows } = await system.database.query(
      'SELECT 1 FROM runs WHERE id = $1 AND finished_at IS NOT NULL',
      [runId],
    );
    if (rows.length > 0) break;
    if (tries === 600) throw new Error(`run ${runId} did not end in time`);
    await pause(QUIET_MILLISECONDS);
  }
  const asked = () => database.asked.length + broker.asked.length + keyValue.asked.length;
  for (let before = -1; before !== asked();) {
    before = asked();
    await pause(QUIET_MILLISECONDS);
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]!;
}

/** Names on the broker begin with the prefix of the suite, which is as long each time. */
const withoutPrefix = (name: string) => name.replace(/^millrace_system_\w+\./, '');

/** How often each thing was asked for in the median run, without those that were not. */
function perRun(runs: readonly (readonly Asked[])[]): Record<string, number> {
  const names = [...new Set(runs.flat().map(({ what }) => what))];
  const counts = names.map(
    (name) =>
      [
        withoutPrefix(name),
        median(runs.map((run) => run.filter(({ what }) => what === name).length)),
      ] as const,
  );
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** Runs one after the other; gives the costs of the median one, and what they were spent on. */
async function costsOf(run: () => Promise<Response>): Promise<{ costs: Costs; spent: object }> {
  const replies: number[] = [];
  const asked = {
    sql: [] as (readonly Asked[])[],
    broker: [] as (readonly Asked[])[],
    redis: [] as (readonly Asked[])[],
  };
  for (let count = 0; count < WARM_UP_RUNS + RUNS; count += 1) {
    for (const proxy of [database, broker, keyValue]) proxy.take();
    const response = await run();
    const reply = Buffer.from(await response.arrayBuffer());
    expect([response.status, reply.toString()]).toEqual([
      expect.any(Number),
      expect.not.stringContaining('"detail"'),
    ]);
    const runId =
      response.headers.get('x-run-id') ?? (JSON.parse(reply.toString()) as { run_id: string }).run_id;
    await settled(runId);
    if (count < WARM_UP_RUNS) continue;
    replies.push(reply.length);
    asked.sql.push(database.take());
    asked.broker.push(broker.take());
    asked.redis.push(keyValue.take());
  }
  const spent = { sql: perRun(asked.sql), broker: perRun(asked.broker), redis: perRun(asked.redis) };
  return {
    spent,
    costs: {
      sqlStatements: sum(Object.values(spent.sql)),
      brokerMessages: sum(Object.values(spent.broker)),
      brokerBytes: median(asked.broker.map((messages) => sum(messages.map(({ bytes }) => bytes)))),
      redisCommands: sum(Object.values(spent.redis)),
      replyBytes: median(replies),
    },
  };
}

async function expectWithinBudget(kind: keyof typeof budget, run: () => Promise<Response>): Promise<void> {
  const { costs, spent } = await costsOf(run);
  if (process.env['MILLRACE_TEST_LOGS'])
    process.stderr.write(`${kind} ${JSON.stringify({ costs, spent }, null, 2)}\n`);
  const limits = budget[kind];
  const exceeded = (Object.keys(limits) as (keyof Costs)[])
    .filter((name) => costs[name] > limits[name])
    .map((name) => `${name} is ${costs[name]}, not ${limits[name]}`);
  expect({ exceeded, spent }).toEqual({ exceeded: [], spent });
  // Where nothing is counted, nothing is exceeded.
  expect(Math.min(...Object.values(costs))).toBeGreaterThan(0);
}

test('a run that is waited for costs no more than its budget', async () => {
  const { endpoint } = await system.upload('echo');
  await expectWithinBudget('syncRun', () =>
    system.post(`/api/v1/run/${endpoint}`, { input_value: 'hello', session_id: 'budget' }),
  );
}, 120_000);

test('a streamed run costs no more than its budget', async () => {
  const { endpoint } = await system.upload('chat');
  await expectWithinBudget('streamedRun', () =>
    system.post(`/api/v1/run/${endpoint}?stream=true`, {
      input_value: '[[tokens=20]]',
      session_id: 'budget',
    }),
  );
}, 120_000);

test('a webhook costs no more than its budget', async () => {
  const { endpoint } = await system.upload('order-webhook');
  await expectWithinBudget('webhook', () =>
    system.post(`/api/v1/webhook/${endpoint}`, { customer: 'Ann', quantity: 3, product: 'pencils' }),
  );
}, 120_000);
