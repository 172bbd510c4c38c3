import { setTimeout as pause } from 'node:timers/promises';
import { startTestSystem } from './test-system';
import type { ExampleFlow, TestSystem } from './test-system';

const callers = 200;
const longestStayMilliseconds = 2_000;

let system: TestSystem;

beforeAll(async () => {
  // Long enough that nobody below gets an answer by waiting for it to pass.
  const environment = { MILLRACE_RUN_DEADLINE_SECONDS: '120' };
  system = await startTestSystem({ pools: { default: 2 }, concurrency: 8, environment });
}, 120_000);

afterAll(() => system?.stop(), 60_000);

/** Starts a run and leaves after a while, whatever has come by then. */
async function callAndLeave(path: string): Promise<void> {
  const leaving = AbortSignal.timeout(Math.floor(Math.random() * longestStayMilliseconds));
  const answer = system
    .post(path, { input_value: '[[delay=60000]]' }, { signal: leaving })
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

async function until(condition: () => boolean | Promise<boolean>, complaint: string): Promise<void> {
  for (let tries = 0; !(await condition()); tries += 1) {
    if (tries === 200) throw new Error(complaint);
    await pause(100);
  }
}

test('F12: what callers leave behind stops, ends as cancelled, and what was queued never starts', async () => {
  const { id, endpoint } = await system.upload('chat');
  const path = `/api/v1/run/${endpoint}`;
  await Promise.all(
    Array.from({ length: callers }, () => [callAndLeave(path), callAndLeave(`${path}?stream=true`)]).flat(),
  );
  await until(() => system.model.counts.active === 0, 'somebody still waits for the model');
  const next = await system.post(path, { input_value: '[[reply="Next."]]' });
  expect(await next.text()).toContain('Next.');
  const { total, abandoned } = system.model.counts;
  expect(abandoned).toBe(total - 1);
  // Sixteen slots: most were waiting for one when their callers left.
  expect(total).toBeLessThan(callers);
  await until(
    async () => (await statuses(id))['succeeded'] === 1,
    'the run that was waited for was not recorded',
  );
  expect(Object.keys(await statuses(id)).sort()).toEqual(['cancelled', 'succeeded']);
}, 60_000);

function withoutComponents({ data }: ExampleFlow): void {
  for (const node of data.nodes as { data: { type: string } }[])
    if (node.data.type !== 'ChatInput') node.data.type = 'Unheard';
}

test.each([
  ['a component that fails', 500, undefined, '[[status=400]]'],
  ['a component that nobody has', 422, withoutComponents, 'x'],
])(
  'F14: %s is told at once, with the id of the run',
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
