import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { flowData, node } from '@millrace/testing';
import { startTestSystem } from '../system/test-system';
import type { TestSystem } from '../system/test-system';

const ROOT = join(__dirname, '..', '..');
const executors = 3;
const otherCalls = 8;

let system: TestSystem;
let bundles: string;
let deaths = 0;
let isOver = false;

/** Bundles the executor with the Poison component in the same way as the shipped executor. */
function bundlePoison(): string {
  const directory = mkdtempSync(join(ROOT, 'dist', 'poison-'));
  const shipped = join(ROOT, 'dist', 'apps', 'executor');
  const output = join(directory, 'executor');
  const build = `
    import { build } from 'esbuild';
    import { packagesOutside } from './tools/build/packages-outside.mjs';
    await build({
      entryPoints: [${JSON.stringify(join(__dirname, 'poison-executor.fixture.ts'))}],
      outfile: ${JSON.stringify(join(output, 'main.cjs'))},
      bundle: true, platform: 'node', format: 'cjs', target: 'node24', logLevel: 'error', plugins: [packagesOutside],
    });`;
  execFileSync(process.execPath, ['--input-type=module', '-e', build], { cwd: ROOT });
  for (const file of readdirSync(shipped))
    if (file.endsWith('-worker.cjs')) cpSync(join(shipped, file), join(output, file));
  return directory;
}

/** Starts an executor and replaces it whenever it exits. */
async function startReplacedExecutor(): Promise<void> {
  const executor = await system.startService({
    app: 'executor',
    bundles,
    flags: ['--concurrency', '8'],
    environment: { NODE_OPTIONS: '--max-old-space-size=200' },
  });
  void executor.exited.then(async () => {
    if (isOver) return;
    deaths += 1;
    await startReplacedExecutor().catch((error: unknown) => {
      // The system can be stopped while the executor starts.
      if (!isOver) throw error;
    });
  });
}

beforeAll(async () => {
  bundles = bundlePoison();
  const environment = { MILLRACE_RUN_DEADLINE_SECONDS: '120', MILLRACE_QUARANTINE_MEMORY_BYTES: '128MiB' };
  system = await startTestSystem({ pools: { default: 0 }, environment });
  for (let count = 0; count < executors; count += 1) await startReplacedExecutor();
}, 180_000);

afterAll(async () => {
  isOver = true;
  await system?.stop();
  if (bundles) rmSync(bundles, { recursive: true, force: true });
}, 60_000);

function poisonFlow(name: string, settings: Record<string, unknown>) {
  return {
    name,
    endpoint_name: name,
    settings,
    data: flowData(
      [
        node('ChatInput-a', { input_value: '' }, 'message'),
        node('Poison-p', { input_value: '' }, 'message'),
        node('ChatOutput-z', {}, 'message'),
      ],
      ['ChatInput-a.message > Poison-p.input_value', 'Poison-p.message > ChatOutput-z.input_value'],
    ),
  };
}

test.each([
  ['exit', 'interactive', {}],
  ['spin', 'durable', { durable: true }],
  ['heap', 'interactive', {}],
])(
  'a run that crashes its process (%s, %s) crashes at most three, and no other run fails',
  async (how, _, settings) => {
    const name = `poison-${Math.random().toString(36).slice(2)}`;
    expect((await system.post('/api/v1/flows/', poisonFlow(name, settings))).status).toBe(201);
    const { endpoint } = await system.upload('chat');
    const before = deaths;
    const calls = Array.from({ length: otherCalls }, () =>
      system.post(`/api/v1/run/${endpoint}`, { input_value: '[[delay=1000 reply="Alive."]]' }),
    );
    const poisoned = await system.post(`/api/v1/run/${name}`, { input_value: how });
    expect([poisoned.status, poisoned.headers.get('x-error-code')]).toEqual([500, 'attempts_exhausted']);
    const runId = poisoned.headers.get('x-run-id') ?? '';
    const run = await system.getJson<{ status: string }>(`/api/v1/runs/${runId}`);
    expect(run.status).toBe('dead');
    const lines = system.lines.filter((line) => line.includes(runId) && line.includes('"msg":"run given'));
    expect(lines).toEqual([expect.stringContaining('"msg":"run given up"')]);
    expect(lines[0]).toContain(`"requestId":"${poisoned.headers.get('x-request-id')}"`);
    for (const call of calls) {
      const response = await call;
      expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('Alive.')]);
    }
    expect(deaths - before).toBeGreaterThan(0);
    expect(deaths - before).toBeLessThanOrEqual(3);
  },
  120_000,
);

test('the component is harmless with other input', async () => {
  expect((await system.post('/api/v1/flows/', poisonFlow('harmless', {}))).status).toBe(201);
  expect((await system.post('/api/v1/run/harmless', { input_value: 'nothing' })).status).toBe(200);
}, 60_000);
