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

test('one trace crosses gateway, broker, executor and database', async () => {
  const { endpoint } = await system.upload('echo');
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const headers = { ...system.headers, traceparent: `00-${traceId}-b7ad6b7169203331-01` };
  const response = await system.post(`/api/v1/run/${endpoint}`, { input_value: 'traced' }, { headers });
  expect(response.status).toBe(200);
  // Spans are exported in batches, each by its own process.
  const wanted = [
    /millrace-gateway/,
    /millrace-executor/,
    /publish/,
    /process|consume|deliver/,
    /pg\.query|INSERT/i,
  ];
  let text = '';
  for (let tries = 0; tries < 60; tries += 1) {
    text = JSON.stringify(spansOf(traceId));
    if (wanted.every((pattern) => pattern.test(text))) break;
    await pause(250);
  }
  for (const pattern of wanted) expect(text).toMatch(pattern);
}, 60_000);
