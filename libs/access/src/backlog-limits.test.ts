import { randomUUID } from 'node:crypto';
import type { Database } from '@millrace/database';
import { openMigratedDatabase } from '@millrace/database/testing';
import { openMemoryStore } from '@millrace/key-value';
import type { KeyValueStore } from '@millrace/key-value';
import { FlowStore, RunStore, UserStore } from '@millrace/runs';
import type { FlowRecord, NewRun } from '@millrace/runs';
import { uuidv7 } from '@millrace/service';
import { recordingLogger, until } from '@millrace/service/testing';
import { BacklogLimits } from './index';
import type { LimitedFlow } from './index';

const CALLERS = 64;
const logger = recordingLogger();
let database: Database;
let runs: RunStore;
const stores: KeyValueStore[] = [];

beforeAll(async () => {
  database = await openMigratedDatabase(logger);
  runs = new RunStore({ database });
});
afterAll(async () => {
  await Promise.all(stores.map((store) => store.close()));
  await database.close();
});

function openStore(): KeyValueStore {
  const store = openMemoryStore();
  stores.push(store);
  return store;
}

async function makeFlow(): Promise<FlowRecord> {
  const user = await new UserStore({ database }).create({ username: `user-${randomUUID()}`, isAdmin: false });
  return new FlowStore({ database }).create(user.id, { name: 'flow', document: { nodes: [], edges: [] } });
}

function newRun({ id: flowId, version: flowVersion, userId }: FlowRecord): NewRun {
  return {
    id: uuidv7(),
    flowId,
    flowVersion,
    userId,
    lane: 'background',
    pool: 'default',
    origin: 'webhook',
    request: {
      form: 'simple',
      inputs: [],
      outputs: { by: 'type', type: 'chat' },
      tweaks: {},
      stream: false,
      sessionId: 'session',
      globalVariables: {},
    },
    sessionId: 'session',
    limitMilliseconds: 600_000,
    maximumAttempts: 3,
  };
}

/** One process that stores runs of the flow; resolves to the id of the run, or to the error of its limit. */
function openDoor(
  flow: FlowRecord,
  given: NonNullable<LimitedFlow['limits']>,
  keyValue: KeyValueStore,
  processes = 1,
  counter: Pick<RunStore, 'countWaiting'> = runs,
) {
  const limits = new BacklogLimits({ keyValue, runs: counter, processes, logger });
  const limited = { id: flow.id, userId: flow.userId, projectId: flow.folderId, limits: given };
  return (run = newRun(flow)) =>
    limits
      .store(
        limited,
        async () => (await runs.admit([run], { publishedPerUser: 5 })).get(run.id)!,
        ({ canonicalRunId }) => canonicalRunId === run.id,
      )
      .then(
        ({ canonicalRunId }) => canonicalRunId,
        (error: unknown) => error as Error,
      );
}

const waitingOf = ({ id, userId }: FlowRecord) => runs.countWaiting({ scope: 'flow', id, userId }, 1_000);
const begin = (runId: string) => runs.claim([{ runId, worker: 'one', redelivered: false }]);

test.each(['user', 'project', 'flow'] as const)(
  'runs beyond the limit of a %s are refused with its name until an executor begins one',
  async (scope) => {
    const flow = await makeFlow();
    const keyValue = openStore();
    const store = openDoor(flow, { [scope]: { waitingRuns: 2 } }, keyValue);
    const other = openDoor(await makeFlow(), { [scope]: { waitingRuns: 2 } }, keyValue);
    const first = await store();
    expect([first, await store()].map((outcome) => typeof outcome)).toEqual(['string', 'string']);
    expect(await store()).toMatchObject({
      code: 'too_many_waiting',
      status: 429,
      message: `Too many waiting background runs: the limit of this ${scope} is 2.`,
      headers: {
        'retry-after': '1',
        'ratelimit-policy': `"${scope}_waiting";q=2`,
        ratelimit: `"${scope}_waiting";r=0;t=1`,
      },
    });
    expect(await waitingOf(flow)).toBe(2);
    expect(typeof (await other())).toBe('string');
    await begin(first as string);
    await until(async () => typeof (await store()) === 'string');
    expect(await waitingOf(flow)).toBe(2);
  },
);

test('a repeated delivery and a run that cannot be stored take no place', async () => {
  const flow = await makeFlow();
  const store = openDoor(flow, { flow: { waitingRuns: 2 } }, openStore());
  const delivery = () => ({ ...newRun(flow), dedupeKey: 'delivery' });
  const id = await store(delivery());
  expect(await store(delivery())).toBe(id);
  expect(await store({ ...newRun(flow), id: 'no id' })).toMatchObject({ code: 'database_error' });
  expect(typeof (await store())).toBe('string');
  expect(await store()).toMatchObject({ code: 'too_many_waiting' });
});

test('two processes with one store keep to the limit, and find runs that took no place', async () => {
  const flow = await makeFlow();
  const keyValue = openStore();
  const doors = [1, 2].map(() => openDoor(flow, { flow: { waitingRuns: 10 } }, keyValue));
  await runs.admit([newRun(flow), newRun(flow)], { publishedPerUser: 5 });
  const outcomes = await Promise.all(Array.from({ length: CALLERS }, (_, caller) => doors[caller % 2]!()));
  expect(outcomes.filter((outcome) => typeof outcome === 'string')).toHaveLength(8);
  expect(await waitingOf(flow)).toBe(10);
});

test('a count that took long is repeated once it is no longer valid', async () => {
  const flow = await makeFlow();
  let passed = 0;
  const now = performance.now.bind(performance);
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + passed);
  const counter: Pick<RunStore, 'countWaiting'> = {
    countWaiting(...given) {
      passed += 2_000;
      return runs.countWaiting(...given);
    },
  };
  const store = openDoor(flow, { flow: { waitingRuns: 1 } }, openStore(), 1, counter);
  const first = await store();
  expect(await store()).toMatchObject({ code: 'too_many_waiting' });
  await begin(first as string);
  passed += 30_000;
  expect(typeof (await store())).toBe('string');
  clock.mockRestore();
});

test('while the key-value store is away, processes store at most twice the limit together', async () => {
  const flow = await makeFlow();
  // Two gateways and two ingest services.
  const doors = Array.from({ length: 4 }, () => {
    const away = openStore();
    void away.close();
    return openDoor(flow, { flow: { waitingRuns: 10 } }, away, 2);
  });
  const call = (caller: number) => doors[caller % doors.length]!();
  const outcomes = await Promise.all(Array.from({ length: CALLERS }, (_, caller) => call(caller)));
  const stored = outcomes.filter((outcome) => typeof outcome === 'string').length;
  expect(stored).toBeGreaterThanOrEqual(4);
  expect(await waitingOf(flow)).toBe(stored);
  // Each counts again, and uses its part of what is left.
  await until(async () => {
    await Promise.all([0, 1, 2, 3].map(call));
    return (await waitingOf(flow)) >= 10;
  });
  expect(await waitingOf(flow)).toBeLessThanOrEqual(20);
  const divided = 'limits of waiting runs are divided among processes: Redis does not count';
  expect(logger.fieldsOf(divided)).toEqual(doors.map(() => ({ error: expect.any(Error) })));
});

test('a run of a flow without a limit is stored at once, by no further exchange', async () => {
  const flow = await makeFlow();
  const keyValue = openStore();
  await keyValue.close();
  const store = openDoor(flow, { flow: { concurrentRuns: 1 } }, keyValue);
  for (let run = 0; run < 5; run += 1) expect(typeof (await store())).toBe('string');
});
