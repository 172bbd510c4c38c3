import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { groupsBy, summarizeRuns } from '../../run-history/summarize-runs';
import { RunHistory } from '../../run-history/run-history';
import { openTestGateway } from '../../testing/test-gateway';
import type { TestGateway } from '../../testing/test-gateway';

interface Counts {
  readonly total: number;
  readonly succeeded: number;
  readonly p50_milliseconds: number | null;
}

const echo = JSON.parse(readFileSync(join(__dirname, '../../../../../examples/echo.json'), 'utf8')) as object;
let gateway: TestGateway;
let flowId: string;
beforeAll(async () => {
  gateway = await openTestGateway();
  flowId = await gateway.createFlow({ ...echo, name: 'counted' });
  for (let count = 0; count < 3; count += 1)
    await gateway.call('POST', `/api/v1/run/${flowId}`, { input_value: 'x' });
  // The list waits for the records of the caller's own runs.
  await gateway.call('GET', '/api/v1/runs');
}, 60_000);
afterAll(() => gateway.close());

test('runs are counted by interval, and intervals without runs are there', async () => {
  const { status, json } = await gateway.call('GET', '/api/v1/runs/history?hours=1');
  expect(status).toBe(200);
  const { points, interval_seconds: seconds } = json as {
    points: (Counts & { start: string })[];
    interval_seconds: number;
  };
  expect([points.length, seconds]).toEqual([60, 60]);
  const starts = points.map(({ start }) => Date.parse(start));
  expect(starts.every((start, index) => index === 0 || start - (starts[index - 1] ?? 0) === 60_000)).toBe(
    true,
  );
  const sum = (member: 'total' | 'succeeded') => points.reduce((total, point) => total + point[member], 0);
  expect([sum('total'), sum('succeeded')]).toEqual([3, 3]);
  expect(points.filter(({ p50_milliseconds: p50 }) => p50 !== null).length).toBeGreaterThan(0);
});

test.each([
  ['?hours=2&interval=120', 200],
  [`?all_users=true&hours=720`, 200],
  ['?hours=24&interval=60', 400],
  ['?hours=0', 422],
  ['?flow_id=no', 422],
])('%s is answered with %i', async (query, status) => {
  expect((await gateway.call('GET', `/api/v1/runs/history${query}`)).status).toBe(status);
});

test('only admins count the runs of others', async () => {
  const { api_key: key } = (await gateway.call('POST', '/api/v1/users', { username: 'counter' })).json;
  const own = { 'x-api-key': key };
  const { json } = await gateway.call('GET', '/api/v1/runs/history?hours=1', undefined, own);
  expect((json as { points: Counts[] }).points.every(({ total }) => total === 0)).toBe(true);
  const refused = await gateway.call('GET', '/api/v1/runs/history?all_users=true', undefined, own);
  expect(refused.status).toBe(403);
  expect((await gateway.call('GET', '/api/v1/flows/stats', undefined, own)).json).toMatchObject({
    flows: [],
  });
});

test('each flow has its counts and its last run', async () => {
  const { json } = await gateway.call('GET', '/api/v1/flows/stats');
  const { runs } = (await gateway.call('GET', '/api/v1/runs?limit=1')).json as { runs: { id: string }[] };
  expect(json).toMatchObject({
    hours: 24,
    flows: [
      {
        flow_id: flowId,
        total: 3,
        succeeded: 3,
        success_rate: 1,
        last_run: { id: runs[0]?.id, status: 'succeeded' },
      },
    ],
  });
});

test('percentiles weigh each sample by the runs that it stands for', () => {
  const group = (flow: string, total: number, durations: readonly number[]) => ({
    flowId: flow,
    start: 0,
    total,
    accepted: 1,
    queued: 0,
    running: 1,
    suspended: 0,
    failed: 1,
    cancelled: 0,
    timedOut: 0,
    dead: 0,
    durations,
  });
  const groups = [group('busy', 990, [10, 10]), group('rare', 10, [500, 500, 500, 500])];
  expect(summarizeRuns(groups)).toMatchObject({
    total: 1_000,
    succeeded: 994,
    unfinished: 4,
    p50_milliseconds: 10,
    p95_milliseconds: 10,
  });
  expect(summarizeRuns([group('rare', 10, [500, 100])])).toMatchObject({
    p50_milliseconds: 100,
    p95_milliseconds: 500,
  });
  expect(summarizeRuns([])).toMatchObject({ total: 0, p50_milliseconds: null });
  expect([...groupsBy(groups, ({ flowId: id }) => id).keys()]).toEqual(['busy', 'rare']);
});

test('equal questions share one count, and a failure is not kept', async () => {
  let counts = 0;
  let isFailing = true;
  const history = new RunHistory({
    ...gateway,
    database: {
      ...gateway.database,
      transaction: (work) => {
        counts += 1;
        return isFailing ? Promise.reject(new Error('no database')) : gateway.database.transaction(work);
      },
    },
  });
  const query = { userId: gateway.user.id, intervals: 1, intervalSeconds: 3_600 };
  await expect(history.read(query)).rejects.toThrow('no database');
  isFailing = false;
  await Promise.all([history.read(query), history.read(query)]);
  await history.read(query);
  expect(counts).toBe(2);
  const many = Array.from({ length: 20 }, (_, index) => history.read({ ...query, intervals: index + 2 }));
  expect(() => history.read({ ...query, intervals: 50 })).toThrow('Try again soon');
  await Promise.all(many);
});
