import { until } from '@millrace/service/testing';
import { startTestSystem } from './test-system';
import type { ExampleFlow, TestSystem } from './test-system';

const callers = 200;
const maximumStayMilliseconds = 2_000;

let system: TestSystem;

beforeAll(async () => {
  // Long enough that no run below ends because of its deadline.
  const environment = { MILLRACE_RUN_DEADLINE_SECONDS: '120' };
  system = await startTestSystem({ pools: { default: 2 }, concurrency: 8, environment });
}, 120_000);

afterAll(() => system?.stop(), 60_000);

/** Starts a run and disconnects after a random time. */
async function callAndDisconnect(path: string): Promise<void> {
  const disconnectSignal = AbortSignal.timeout(Math.floor(Math.random() * maximumStayMilliseconds));
  const answer = system
    .post(path, { input_value: '[[delay=60000]]' }, { signal: disconnectSignal })
    .then((response) => response.text());
  await expect(answer).rejects.toThrow();
}

async function statuses(flowId: string): Promise<Record<string, number>> {
  const counted = await system.database.query<{ status: string; count: number }>(
    'SELECT status, count(*)::int FROM runs WHERE flow_id = $1 GROUP BY status',
    [flowId],
  );
  return Object.fromEntries(counted.rows.map(({ status, count }) => [status, count]));
}

test('F12: runs of disconnected callers are stopped and cancelled, and queued ones never start', async () => {
  const { id, endpoint } = await system.upload('chat');
  const path = `/api/v1/run/${endpoint}`;
  await Promise.all(
    Array.from({ length: callers }, () => [
      callAndDisconnect(path),
      callAndDisconnect(`${path}?stream=true`),
    ]).flat(),
  );
  const { counts } = system.model;
  await until(() => counts.active === 0, 'a run still waits for the model', 60_000);
  const next = await system.post(path, { input_value: '[[reply="Next."]]' });
  expect(await next.text()).toContain('Next.');
  // A run that an executor took before its caller disconnected can still call the model for a moment.
  const areAbandoned = () => counts.active === 0 && counts.abandoned === counts.total - 1;
  await until(areAbandoned, 'a call of the model was answered, or is still waiting', 60_000);
  // There are sixteen slots, so most runs were still queued when their callers disconnected.
  expect(counts.total).toBeLessThan(callers);
  const isRecorded = async () => {
    const { cancelled = 0, succeeded = 0, ...others } = await statuses(id);
    return cancelled > 0 && succeeded === 1 && Object.keys(others).length === 0;
  };
  await until(isRecorded, 'the runs are recorded as cancelled, the last one as succeeded', 60_000);
  expect(counts.abandoned).toBe(counts.total - 1);
}, 240_000);

function withoutComponents({ data }: ExampleFlow): void {
  for (const node of data.nodes as { data: { type: string } }[])
    if (node.data.type !== 'ChatInput') node.data.type = 'MissingComponent';
}

test.each([
  ['a component that fails', 500, undefined, '[[status=400]]'],
  ['a component that does not exist', 422, withoutComponents, 'x'],
])(
  'F14: %s is reported at once, with the id of the run',
  async (_, status, change, text) => {
    const { endpoint } = await system.upload('chat', change);
    const response = await system.post(`/api/v1/run/${endpoint}`, { input_value: text });
    expect([status, await response.text()]).toEqual([response.status, expect.any(String)]);
    const runId = response.headers.get('x-run-id');
    expect(runId).toMatch(/^[\da-f-]{36}$/);
    const stored = await system.getJson<{ status: string }>(`/api/v1/runs/${runId}`);
    expect(stored.status).toBe('failed');
  },
  30_000,
);
