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
    environment: { OTEL_TRACES_EXPORTER: 'file', MILLRACE_TRACE_FILE: join(directory, 'traces') },
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
  const lines = () =>
    system.lines
      .filter((line) => line.includes('"requestId":"traced"'))
      .map((line) => JSON.parse(line.slice(line.indexOf('{'))) as Record<string, unknown>);
  await until(() => lines().length === 2, 'lines are missing');
  for (const msg of ['request answered', 'run failed']) {
    const line = lines().find((other) => other['msg'] === msg);
    expect([msg, line?.['trace_id']]).toEqual([msg, TRACE]);
    expect(line?.['span_id']).toMatch(/^[0-9a-f]{16}$/);
    expect([line?.['traceId'], line?.['spanId']]).toEqual([line?.['trace_id'], line?.['span_id']]);
  }
}, 60_000);
