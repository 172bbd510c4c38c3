import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { AllocationMeter } from './allocation-meter';
import { startCountingProxy } from './counting-proxy';
import type { CountingProxy } from './counting-proxy';
import { startTestSystem } from './test-system';
import type { TestSystem } from './test-system';
import { amqpReader, postgresReader, redisReader } from './wire-readers';
import type { WireRequest } from './wire-readers';

/** The budget of one run. Counts instead of times, because they are the same on a busy machine. */
interface Costs {
  readonly sqlStatements: number;
  readonly brokerMessages: number;
  readonly brokerBytes: number;
  readonly redisCommands: number;
  readonly replyBytes: number;
}

const FILE = join(__dirname, '..', '..', 'bench', 'budget.json');
const budget = JSON.parse(readFileSync(FILE, 'utf8')) as Readonly<
  Record<'syncRun' | 'streamedRun' | 'webhook', Costs>
> & {
  /** Bytes on V8's heaps for one interactive run, once V8 has compiled its code. */
  readonly syncRunAllocations: Readonly<Record<'gateway' | 'executor', number>>;
};
/** Periodic work such as sweeping and heartbeats occurs in few of the runs, so not in the median. */
const RUNS = 11;
/** On a very busy machine most runs take longer than the pause between two sweeps, so that costs are measured again. */
const MEASUREMENTS = 3;
const WARM_UP_RUNS = 3;
/** V8 compiles and optimizes the code of a run within the first thousand. */
const ALLOCATING_WARM_UP_RUNS = 2_000;
/** How long the services are left alone, to know what they allocate without runs. */
const IDLE_MILLISECONDS = 3_000;
const ALLOCATING_RUNS = 300;
/**
 * Runs that follow each other at once share a statement that records them, and how many do depends on the speed of the machine.
 * After this pause each run has its own.
 */
const PAUSE_MILLISECONDS = 30;
const QUIET_MILLISECONDS = 100;

let database: CountingProxy;
let broker: CountingProxy;
let keyValue: CountingProxy;
let system: TestSystem;
const allocations = new AllocationMeter();

beforeAll(async () => {
  system = await startTestSystem({
    environment: allocations.environment,
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
  allocations.close();
}, 60_000);

/** Waits until the run has ended in the database and causes no further requests. */
async function waitUntilSettled(runId: string): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const { rows } = await system.database.query(
      'SELECT 1 FROM runs WHERE id = $1 AND finished_at IS NOT NULL',
      [runId],
    );
    if (rows.length > 0) break;
    if (tries === 600) throw new Error(`run ${runId} did not end in time`);
    await pause(QUIET_MILLISECONDS);
  }
  const requests = () => database.requests.length + broker.requests.length + keyValue.requests.length;
  for (let before = -1; before !== requests();) {
    before = requests();
    await pause(QUIET_MILLISECONDS);
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]!;
}

/** Removes the prefix of the suite from broker names. Its length is always the same. */
const withoutPrefix = (name: string) => name.replace(/^millrace_system_\w+\./, '');

/** Returns the median count per run of each kind of request, without zeros. */
function perRun(runs: readonly (readonly WireRequest[])[]): Record<string, number> {
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

/** Runs sequentially; resolves to the median costs and their breakdown. */
async function costsOf(run: () => Promise<Response>): Promise<{ costs: Costs; spent: object }> {
  const replies: number[] = [];
  const requests = {
    sql: [] as (readonly WireRequest[])[],
    broker: [] as (readonly WireRequest[])[],
    redis: [] as (readonly WireRequest[])[],
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
    await waitUntilSettled(runId);
    if (count < WARM_UP_RUNS) continue;
    replies.push(reply.length);
    requests.sql.push(database.take());
    requests.broker.push(broker.take());
    requests.redis.push(keyValue.take());
  }
  const spent = { sql: perRun(requests.sql), broker: perRun(requests.broker), redis: perRun(requests.redis) };
  return {
    spent,
    costs: {
      sqlStatements: sum(Object.values(spent.sql)),
      brokerMessages: sum(Object.values(spent.broker)),
      brokerBytes: median(requests.broker.map((messages) => sum(messages.map(({ bytes }) => bytes)))),
      redisCommands: sum(Object.values(spent.redis)),
      replyBytes: median(replies),
    },
  };
}

function exceededLimits(costs: Costs, limits: Costs): string[] {
  return (Object.keys(limits) as (keyof Costs)[])
    .filter((name) => costs[name] > limits[name])
    .map((name) => `${name} is ${costs[name]}, not ${limits[name]}`);
}

async function expectWithinBudget(
  kind: 'syncRun' | 'streamedRun' | 'webhook',
  run: () => Promise<Response>,
): Promise<void> {
  const limits = budget[kind];
  let { costs, spent } = await costsOf(run);
  let exceeded = exceededLimits(costs, limits);
  for (let tries = 1; exceeded.length > 0 && tries < MEASUREMENTS; tries += 1) {
    ({ costs, spent } = await costsOf(run));
    exceeded = exceededLimits(costs, limits);
  }
  if (process.env['MILLRACE_TEST_LOGS'])
    process.stderr.write(`${kind} ${JSON.stringify({ costs, spent }, null, 2)}\n`);
  expect({ exceeded, spent }).toEqual({ exceeded: [], spent });
  // Guards against a proxy that counts nothing.
  expect(Math.min(...Object.values(costs))).toBeGreaterThan(0);
}

test('an interactive run stays within its budget', async () => {
  const { endpoint } = await system.upload('echo');
  await expectWithinBudget('syncRun', () =>
    system.post(`/api/v1/run/${endpoint}`, { input_value: 'hello', session_id: 'budget' }),
  );
}, 240_000);

test('an interactive run allocates no more than its budget', async () => {
  const { endpoint } = await system.upload('echo');
  const run = async (count: number, pauseMilliseconds = 0) => {
    for (let left = count; left > 0; left -= 1) {
      await pause(pauseMilliseconds);
      const path = `/api/v1/run/${endpoint}`;
      const response = await system.post(path, { input_value: 'hello', session_id: `allocations-${left}` });
      expect(response.status).toBe(200);
      await response.arrayBuffer();
    }
    for (const proxy of [database, broker, keyValue]) proxy.take();
  };
  await run(ALLOCATING_WARM_UP_RUNS);
  const idleBefore = await allocations.read();
  const idleSince = performance.now();
  await pause(IDLE_MILLISECONDS);
  const idleAfter = await allocations.read();
  const idleMilliseconds = performance.now() - idleSince;
  /** What timers allocate: on a busy machine, more of them fall on a run. */
  const whenIdle = (name: string) =>
    ((idleAfter.get(name) ?? 0) - (idleBefore.get(name) ?? 0)) / idleMilliseconds;
  const measured: Record<string, number>[] = [];
  const { gateway: gatewayLimit, executor: executorLimit } = budget.syncRunAllocations;
  for (let tries = 0; tries < MEASUREMENTS; tries += 1) {
    const before = await allocations.read();
    const since = performance.now();
    await run(ALLOCATING_RUNS, PAUSE_MILLISECONDS);
    const after = await allocations.read();
    const milliseconds = performance.now() - since;
    const ofService = (name: string) => {
      const bytes = (after.get(name) ?? 0) - (before.get(name) ?? 0) - whenIdle(name) * milliseconds;
      return Math.round(bytes / ALLOCATING_RUNS);
    };
    const [gateway, executor] = [ofService('gateway'), ofService('executor')];
    measured.push({ gateway, executor });
    // Guards against a meter that counts nothing.
    expect(Math.min(gateway, executor)).toBeGreaterThan(1_000);
    if (gateway <= gatewayLimit && executor <= executorLimit) break;
  }
  if (process.env['MILLRACE_TEST_LOGS']) process.stderr.write(`allocations ${JSON.stringify(measured)}\n`);
  const last = measured.at(-1);
  expect({
    measured,
    isWithin: last!['gateway']! <= gatewayLimit && last!['executor']! <= executorLimit,
  }).toEqual({
    measured,
    isWithin: true,
  });
}, 240_000);

test('a streamed run stays within its budget', async () => {
  const { endpoint } = await system.upload('chat');
  await expectWithinBudget('streamedRun', () =>
    system.post(`/api/v1/run/${endpoint}?stream=true`, {
      input_value: '[[tokens=20]]',
      session_id: 'budget',
    }),
  );
}, 240_000);

test('a webhook stays within its budget', async () => {
  const { endpoint } = await system.upload('order-webhook');
  await expectWithinBudget('webhook', () =>
    system.post(`/api/v1/webhook/${endpoint}`, { customer: 'Ann', quantity: 3, product: 'pencils' }),
  );
}, 240_000);
