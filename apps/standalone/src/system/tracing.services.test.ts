import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startTestSystem } from './test-system';
import type { TestSystem } from './test-system';

interface Span {
  readonly traceId: string;
  readonly service: string;
  readonly name: string;
}

const directory = mkdtempSync(join(tmpdir(), 'millrace-traces-'));
const file = join(directory, 'spans.jsonl');
let system: TestSystem;

beforeAll(async () => {
  system = await startTestSystem({
    environment: { OTEL_TRACES_EXPORTER: 'file', MILLRACE_TRACE_FILE: file, LOG_LEVEL: 'info' },
  });
}, 120_000);

afterAll(async () => {
  await system?.stop();
  rmSync(directory, { recursive: true, force: true });
}, 60_000);

function spansOf(traceId: string): Span[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.includes(traceId))
    .map((line) => JSON.parse(line) as Span);
}

/** Resolves when the spans of the trace match all of these; each process exports its spans in batches. */
async function expectSpans(traceId: string, wanted: readonly RegExp[]): Promise<void> {
  let text = '';
  for (let tries = 0; tries < 60; tries += 1) {
    text = JSON.stringify(spansOf(traceId));
    if (wanted.every((pattern) => pattern.test(text))) break;
    await pause(250);
  }
  for (const pattern of wanted) expect(text).toMatch(pattern);
}

test('one trace crosses gateway, broker, executor and database', async () => {
  const { endpoint } = await system.upload('echo');
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const headers = { ...system.headers, traceparent: `00-${traceId}-b7ad6b7169203331-01` };
  const response = await system.post(`/api/v1/run/${endpoint}`, { input_value: 'traced' }, { headers });
  expect(response.status).toBe(200);
  await expectSpans(traceId, [
    /millrace-gateway/,
    /millrace-executor/,
    /publish/,
    /process|consume|deliver/,
    /pg\.query|INSERT/i,
  ]);
}, 60_000);

test('runs that are released from a backlog stay in the traces of their requests', async () => {
  const { endpoint } = await system.upload('order-webhook', (flow) => (flow.settings = { concurrency: 1 }));
  const traceIds = Array.from({ length: 4 }, (_, index) => `4bf92f3577b34da6a3ce929d0e0e473${index}`);
  for (const traceId of traceIds) {
    const headers = { ...system.headers, traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
    const response = await system.post(`/api/v1/webhook/${endpoint}`, { value: 1 }, { headers });
    expect(response.status).toBe(202);
  }
  for (const traceId of traceIds)
    await expectSpans(traceId, [/millrace-ingest/, /millrace-executor/, /process|consume|deliver/]);
}, 90_000);
