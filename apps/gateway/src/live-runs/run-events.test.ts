import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordingLogger, until } from '@millrace/service/testing';
import { fromConsole, signIn } from '../testing/console-session';
import { openTestGateway, TEST_KEY } from '../testing/test-gateway';
import type { TestGateway } from '../testing/test-gateway';
import { LiveRuns } from './live-runs';

interface RunEvent {
  readonly event: string;
  readonly data: { readonly id: string; readonly status: string; readonly user_id: string };
}

const echo = JSON.parse(readFileSync(join(__dirname, '../../../../examples/echo.json'), 'utf8')) as object;
let gateway: TestGateway;
let flowId: string;
beforeAll(async () => {
  gateway = await openTestGateway();
  flowId = await gateway.createFlow({ ...echo, name: 'live' });
}, 60_000);
afterAll(() => gateway.close());

const open = (query = '', headers: Record<string, string> = { 'x-api-key': TEST_KEY }) =>
  fetch(`${gateway.url}/api/v1/runs/events${query}`, { headers });

/** Collects the events of a stream until it ends. */
function collect(response: Response) {
  const events: RunEvent[] = [];
  const ended = (async () => {
    let buffered = '';
    for await (const part of response.body ?? []) {
      const blocks = (buffered + Buffer.from(part as Uint8Array).toString()).split('\n\n');
      buffered = blocks.pop() ?? '';
      for (const block of blocks) {
        const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? [];
        if (data !== undefined)
          events.push({ event: event ?? '', data: JSON.parse(data) as RunEvent['data'] });
      }
    }
  })();
  return { events, ended };
}

async function follow(query = '', headers?: Record<string, string>) {
  const response = await open(query, headers);
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'text/event-stream; charset=utf-8',
  ]);
  return collect(response);
}

const start = async (flow = flowId, headers: Record<string, string> = {}) => {
  const answer = await gateway.call('POST', `/api/v1/run/${flow}`, { input_value: 'x' }, headers);
  return answer.headers.get('x-run-id') ?? '';
};

test('an interactive run is an event once it is recorded, in the shape of the list', async () => {
  const { events } = await follow();
  const id = await start();
  await until(() => events.some(({ data }) => data.id === id));
  const { runs } = (await gateway.call('GET', '/api/v1/runs')).json as { runs: { id: string }[] };
  expect(events.find(({ data }) => data.id === id)).toEqual({
    event: 'run',
    data: runs.find((run) => run.id === id),
  });
});

test('a background run is an event in each state that lasts', async () => {
  const { events } = await follow(`?flow_id=${flowId}`);
  gateway.executor.handleJob = async () => undefined;
  try {
    const answer = await gateway.call(
      'POST',
      `/api/v1/run/${flowId}`,
      { input_value: 'x' },
      { prefer: 'respond-async' },
    );
    const id = answer.headers.get('x-run-id') ?? '';
    const states = () => events.filter(({ data }) => data.id === id).map(({ data }) => data.status);
    await until(() => states().length > 0);
    await gateway.call('POST', `/api/v1/runs/${id}/cancel`);
    await until(() => states().at(-1) === 'cancelled');
  } finally {
    gateway.executor.handleJob = null;
  }
});

test('a user sees their own runs, an admin those of all users', async () => {
  const { api_key: key } = (await gateway.call('POST', '/api/v1/users', { username: 'watched' })).json;
  const own = { 'x-api-key': key };
  const flow = (await gateway.call('POST', '/api/v1/flows/', { ...echo, name: 'theirs' }, own)).json as {
    id: string;
  };
  expect((await open('?all_users=true', own)).status).toBe(403);
  const [theirs, mine, all] = [await follow('', own), await follow(), await follow('?all_users=true')];
  const [first, second] = [await start(flow.id, own), await start()];
  const has = ({ events }: { events: RunEvent[] }, id: string) => events.some(({ data }) => data.id === id);
  await until(() => has(all, first) && has(all, second) && has(theirs, first) && has(mine, second));
  expect(has(theirs, second)).toBe(false);
  expect(has(mine, first)).toBe(false);
});

test('more runs than a poll reads are a request to read the list again', async () => {
  const { events } = await follow();
  await gateway.database.query({
    text: `INSERT INTO runs (id, flow_id, user_id, flow_version, maximum_attempts, limit_milliseconds, accepted_at,
        finished_at, durable, status, lane, origin, pool, session_id)
      SELECT ('ffffffff-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, $1, $2, 1, 1, 1, now(), now(), false,
        'succeeded', 'interactive', 'run', 'default', 's' FROM generate_series(1, 201) AS n`,
    values: [flowId, gateway.user.id],
  });
  await until(() => events.some(({ event }) => event === 'reset'));
  expect(events.filter(({ event }) => event === 'run')).toHaveLength(50);
  await gateway.database.query({
    text: `DELETE FROM runs WHERE id > 'ffffffff-0000-7000-8000-000000000000'`,
  });
});

test('the stream ends with the session', async () => {
  const { cookie } = await signIn(gateway, TEST_KEY);
  const { ended } = await follow('', { ...fromConsole, cookie });
  await gateway.call('DELETE', '/api/v1/console/session', undefined, { ...fromConsole, cookie });
  await ended;
  expect((await open('', { ...fromConsole, cookie })).status).toBe(401);
});

test('without a reader nothing is read', async () => {
  const response = await open();
  await response.body?.cancel();
  const statements: unknown[] = [];
  const counted = new LiveRuns({
    ...gateway,
    database: { query: (statement) => (statements.push(statement), gateway.database.query(statement)) },
    failures: gateway.metrics.counter('test_failures_total', 'Failures of the test'),
  });
  const listener = { changed: () => undefined, reset: () => undefined, end: () => undefined };
  const leave = await counted.listen(listener);
  await until(() => statements.length > 1);
  leave();
  const before = statements.length;
  const again = await counted.listen(listener);
  expect(statements.length).toBe(before + 1);
  again();
  counted.close();
  await expect(counted.listen(listener)).rejects.toMatchObject({ code: 'shutting_down' });
});

test('reads of changes that fail are logged and counted, and repeated', async () => {
  const logger = recordingLogger();
  const error = new Error('away');
  let statements = 0;
  let failed = 0;
  const failing = new LiveRuns({
    ...gateway,
    logger,
    database: {
      query: (statement) =>
        (statements += 1) === 2 ? Promise.reject(error) : gateway.database.query(statement),
    },
    failures: { add: (count: number) => void (failed += count) },
  });
  const listener = { changed: () => undefined, reset: () => undefined, end: () => undefined };
  const leave = await failing.listen(listener);
  await until(() => statements > 2);
  leave();
  failing.close();
  expect(logger.fieldsOf('changes of runs could not be read; it will be retried')).toEqual([{ error }]);
  expect(failed).toBe(1);
});
