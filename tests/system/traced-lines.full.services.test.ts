import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@millrace/service/testing';
import { startTestSystem } from './test-system';
import type { TestSystem } from './test-system';

const directory = mkdtempSync(join(tmpdir(), 'millrace-traced-lines-'));
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
let system: TestSystem;

beforeAll(async () => {
  system = await startTestSystem({
    pools: { default: 2 },
    environment: {
      OTEL_TRACES_EXPORTER: 'file',
      MILLRACE_TRACE_FILE: join(directory, 'traces'),
      LOG_LEVEL: 'debug',
    },
  });
}, 120_000);

afterAll(async () => {
  await system?.stop();
  rmSync(directory, { recursive: true, force: true });
}, 60_000);

test('lines of a traced run have the ids of its trace, in each service', async () => {
  const { endpoint } = await system.upload('chat');
  const headers = {
    ...system.headers,
    traceparent: `00-${TRACE}-00f067aa0ba902b7-01`,
    'x-request-id': 'traced',
  };
  const response = await system.post(
    `/api/v1/run/${endpoint}`,
    { input_value: '[[status=400]]' },
    { headers },
  );
  expect(response.status).toBe(500);
  await until(() => linesOf('traced').length === 3, 'lines are missing');
  for (const msg of ['request answered', 'run begins', 'run failed']) {
    const line = linesOf('traced').find((other) => other['msg'] === msg);
    expect([msg, line?.['trace_id']]).toEqual([msg, TRACE]);
    expect(line?.['span_id']).toMatch(/^[0-9a-f]{16}$/);
    expect([line?.['traceId'], line?.['spanId']]).toEqual([line?.['trace_id'], line?.['span_id']]);
  }
}, 60_000);

test('the request id finds a run that succeeded in the logs of gateway, ingest and executor', async () => {
  const { endpoint } = await system.upload('order-webhook');
  const headers = { ...system.headers, 'x-request-id': 'found-webhook' };
  const response = await system.post(`/api/v1/webhook/${endpoint}`, { quantity: 3 }, { headers });
  expect(response.status).toBe(202);
  const { run_id: runId } = (await response.json()) as { run_id: string };
  await until(() => linesOf('found-webhook').length === 4, 'lines are missing');
  const lines = linesOf('found-webhook').map(({ process, msg }) => `${String(process)}: ${String(msg)}`);
  expect(lines.sort()).toEqual([
    expect.stringMatching(/^executor.*: run begins$/),
    expect.stringMatching(/^executor.*: run succeeded$/),
    expect.stringMatching(/^gateway.*: request answered$/),
    expect.stringMatching(/^ingest.*: request answered$/),
  ]);
  expect(linesOf('found-webhook').map((line) => line['runId'])).toEqual(Array(4).fill(runId));
}, 60_000);

test('the request id finds a run whose executor was killed in the logs of three processes', async () => {
  const { endpoint } = await system.upload('chat');
  const headers = { ...system.headers, 'x-request-id': 'found-killed' };
  const question = { input_value: '[[hang times=1 id=found-killed]] hello' };
  const waiting = system.post(`/api/v1/run/${endpoint}`, question, { headers });
  await until(() => linesOf('found-killed').length === 1, 'the begin of the run', 30_000);
  await until(() => system.model.counts.active > 0, 'a call of the model', 30_000);
  const victim = system.executors.find(({ name }) => name === linesOf('found-killed')[0]?.process);
  if (victim === undefined) throw new Error('no executor has the run');
  victim.kill();
  await victim.exited;
  const response = await waiting;
  expect(response.status).toBe(200);
  await until(() => linesOf('found-killed').length === 4, 'lines are missing');
  const lines = linesOf('found-killed');
  const events = (process: string) => lines.filter((line) => line.process === process).map(({ msg }) => msg);
  const [other] = system.executors.filter((executor) => executor !== victim);
  expect(events(victim.name)).toEqual(['run begins']);
  expect(events(other?.name ?? '')).toEqual(['run begins another attempt', 'run succeeded']);
  expect(lines.filter(({ name }) => name === 'gateway').map(({ msg }) => msg)).toEqual(['request answered']);
  expect(lines.map(({ runId }) => runId)).toEqual(Array(4).fill(response.headers.get('x-run-id')));
}, 90_000);

interface Line extends Readonly<Record<string, unknown>> {
  /** The process that wrote it, such as `executor-1`. */
  readonly process: string;
}

/** Returns the lines with a request id, of all processes. */
function linesOf(requestId: string): readonly Line[] {
  return system.lines
    .filter((line) => line.includes(`"requestId":"${requestId}"`))
    .map((line) => {
      const start = line.indexOf('{');
      const fields = JSON.parse(line.slice(start)) as Record<string, unknown>;
      return { ...fields, process: line.slice(0, start).trim() };
    });
}
