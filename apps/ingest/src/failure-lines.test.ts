import { createLogger } from '@millrace/service';
import { until } from '@millrace/service/testing';
import { openTestIngest } from './testing/test-ingest';
import type { TestIngest } from './testing/test-ingest';

type Line = Readonly<Record<string, unknown>>;

const lines: Line[] = [];
let ingest: TestIngest;
beforeAll(async () => {
  const destination = {
    write: (text: string) => {
      const line = JSON.parse(text) as Line;
      // Each request has one, too.
      if (line['msg'] !== 'request answered') lines.push(line);
    },
  };
  const logger = createLogger({ name: 'ingest-test', level: 'info', destination });
  ingest = await openTestIngest({ logger, sweepIntervalMilliseconds: 20 });
  await ingest.newFlow('open', { webhookAuth: 'off' });
}, 60_000);
afterAll(() => ingest.close());

const send = (flow: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string>) =>
  fetch(`${ingest.url}/${flow}`, { method: 'POST', body, headers });

const counted = (name: string) =>
  until(async () => (await ingest.metrics.prometheusText()).includes(`\n${name} 1\n`), name);

async function lineOf(requestId: string): Promise<Line[]> {
  const found = () => lines.filter((line) => line['requestId'] === requestId);
  await until(() => found().length > 0);
  return found();
}

test('logs one line with the request id for a run whose executor does not come back', async () => {
  const response = await send('open', '{}', { 'x-request-id': 'request-1' });
  const { run_id: runId } = (await response.json()) as { run_id: string };
  await ingest.runs.claim([{ runId, worker: 'stopped', redelivered: false }]);
  await ingest.database.query({
    text: `UPDATE runs SET maximum_attempts = 1, lease_until = now(), next_sweep_at = now() WHERE id = $1`,
    values: [runId],
  });
  expect(await lineOf('request-1')).toMatchObject([
    {
      level: 'warn',
      msg: 'run given up',
      runId,
      userId: ingest.userId,
      flowId: expect.any(String),
      attempt: 1,
      status: 'dead',
      code: 'attempts_exhausted',
      vertex: null,
    },
  ]);
  await counted('millrace_runs_dead_total');
});

test('logs one line for an attempt whose executor does not come back when another attempt follows', async () => {
  const response = await send('open', '{}', { 'x-request-id': 'request-2' });
  const { run_id: runId } = (await response.json()) as { run_id: string };
  await ingest.runs.claim([{ runId, worker: 'stopped', redelivered: false }]);
  const text = 'UPDATE runs SET lease_until = now(), next_sweep_at = now() WHERE id = $1';
  await ingest.database.query({ text, values: [runId] });
  const msg = 'run attempt lost; another one follows';
  expect(await lineOf('request-2')).toMatchObject([
    { level: 'warn', msg, runId, attempt: 1, worker: 'stopped' },
  ]);
  await counted('millrace_runs_swept_total');
});

test.each([
  ['none', '{}', {}, { status: 403, code: 'key_missing', path: '/api/v1/webhook/none' }],
  ['open', Uint8Array.of(0xff), {}, { status: 400, code: 'undecodable_body', flowId: expect.any(String) }],
  [
    'keyed?x-api-key=sk-wrong-key-in-the-query',
    '{}',
    {},
    { status: 403, code: 'key_invalid', path: '/api/v1/webhook/keyed' },
  ],
])('logs one line for a refused webhook (%s)', async (flow, body, headers, expected) => {
  const requestId = `refused-${flow.slice(0, 5)}`;
  if (flow.startsWith('keyed')) await ingest.newFlow('keyed', {});
  await send(flow, body, { ...headers, 'x-request-id': requestId });
  expect(await lineOf(requestId)).toMatchObject([{ level: 'info', msg: 'webhook refused', ...expected }]);
  expect(JSON.stringify(lines)).not.toContain('wrong-key');
});

test('ignores a request id that is not safe to log', async () => {
  const before = lines.length;
  await send('none', '{}', { 'x-request-id': 'a b "c"' });
  expect(lines.length).toBeGreaterThan(before);
  expect(lines.at(-1)).not.toHaveProperty('requestId');
});
