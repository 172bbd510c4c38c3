import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunResponse } from '@millrace/flow';
import { startServiceProcess } from '@millrace/scaled-system';
import { until } from '@millrace/service/testing';
import { callingAndScriptedFlows } from './calling-flows';
import { startStandalone } from './start-standalone';
import type { Standalone } from './start-standalone';

interface EditableFlow {
  readonly data: {
    readonly nodes: readonly {
      readonly id: string;
      readonly data: {
        readonly type: string;
        readonly node: { edited?: boolean; readonly template: Record<string, unknown> };
      };
    }[];
  };
}

interface StoredRun {
  readonly id: string;
  readonly status: string;
  readonly flow_version: number;
  readonly replay_of: string | null;
}

const directory = mkdtempSync(join(tmpdir(), 'millrace-standalone-'));
let running: Standalone | null = null;

afterAll(async () => {
  await running?.stop();
  rmSync(directory, { recursive: true, force: true });
});

const start = async () => (running = await startStandalone({ data: directory }));

test('keeps flows, keys, runs and sessions after kill -9, and shows the key only once', async () => {
  const first = await start();
  expect(first.key).not.toBe('');
  expect(first.lines.join('\n')).toContain(`curl -X POST '${first.url}/api/v1/run/echo'`);
  const { headers } = first;
  const body = JSON.stringify({ input_value: 'remember me', session_id: 'kept' });
  const answer = await fetch(`${first.url}/api/v1/run/echo`, { method: 'POST', headers, body });
  expect(answer.status).toBe(200);
  const runId = answer.headers.get('x-run-id') ?? '';
  expect((await fetch(`${first.url}/api/v1/runs/${runId}`, { headers })).status).toBe(200);
  first.service.kill();
  await first.service.exited;

  const second = await start();
  expect(second.lines.join('\n')).not.toMatch(/sk-[\w-]{43}/);
  const read = async (path: string) => (await fetch(`${second.url}${path}`, { headers })).json();
  expect(await read(`/api/v1/runs/${runId}`)).toMatchObject({ status: 'succeeded' });
  const messages = (await read('/api/v1/monitor/messages?session_id=kept')) as { text: string }[];
  expect(messages.map(({ text }) => text)).toEqual(['remember me', 'remember me']);
  const flows = (await read('/api/v1/flows/')) as { endpoint_name: string }[];
  expect(flows.map(({ endpoint_name }) => endpoint_name).sort()).toEqual(
    expect.arrayContaining(['chat', 'echo', 'order-webhook']),
  );
  expect((await second.service.stop()).code).toBe(0);
  running = null;
}, 120_000);

describe('an installation', () => {
  let app: Standalone;
  beforeAll(async () => {
    app = await startStandalone();
  }, 120_000);
  afterAll(() => app?.stop(), 60_000);

  test('a response names the vertices that run the stock component in place of edited code', async () => {
    const post = (path: string, body: unknown) => app.send('POST', path, body);
    const echo = JSON.parse(
      readFileSync(join(__dirname, '..', '..', 'examples', 'echo.json'), 'utf8'),
    ) as EditableFlow;
    for (const { data } of echo.data.nodes)
      if (data.type === 'ChatOutput') {
        data.node.edited = true;
        data.node.template['code'] = {
          type: 'code',
          value: 'class ChatOutput: """Written for this test."""',
        };
      }
    const file = async (name: string, query: string) =>
      (await post(`/api/v1/flows/${query}`, { ...echo, id: null, name, endpoint_name: name })).json();
    const run = (name: string, path = `/api/v1/run/${name}`) => post(path, { input_value: 'hi' });
    const edited = echo.data.nodes.find(({ data }) => data.type === 'ChatOutput')?.id ?? '';

    await file('refused', '');
    const refused = await run('refused');
    expect(refused.status).toBe(422);
    expect(refused.headers.get('x-millrace-stock-code')).toBeNull();
    expect(await refused.text()).toContain('POST /api/v1/flows/{flow_id}/accepted-code');
    await file('accepted', '?code=stock');
    for (const query of ['', '?stream=true']) {
      const answer = await run('accepted', `/api/v1/run/accepted${query}`);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('x-millrace-stock-code')).toBe(edited);
      expect(await answer.text()).toContain('hi');
    }
    const plain = await run('echo');
    expect(plain.headers.get('x-millrace-stock-code')).toBeNull();
  }, 120_000);

  test('runs flows inside flows, and scripts in separate threads', async () => {
    for (const flow of Object.values(callingAndScriptedFlows('shouting')))
      expect((await app.send('POST', '/api/v1/flows/', flow)).status).toBe(201);
    const answer = await app.send('POST', '/api/v1/run/calls-shouting', { input_value: 'hello' });
    const { outputs } = (await answer.json()) as RunResponse;
    expect(outputs[0]?.outputs[0]?.outputs['message']?.message).toBe('HELLO!');
  }, 120_000);

  const runs = async (query: string) =>
    (await app.call<{ runs: StoredRun[] }>('GET', `/api/v1/runs?${query}`)).runs;

  test('failed runs are found, their flow is rolled back, and they are replayed together', async () => {
    const good = JSON.parse(readFileSync(join(__dirname, '../../examples/order-webhook.json'), 'utf8')) as {
      data: { nodes: { data: { type: string } }[] };
    };
    const broken = structuredClone(good);
    for (const { data } of broken.data.nodes) if (data.type !== 'Webhook') data.type = 'NoSuchComponent';
    const { id } = await app.call<{ id: string }>('POST', '/api/v1/flows/', {
      ...good,
      name: 'orders',
      endpoint_name: 'orders',
    });
    await app.call('PATCH', `/api/v1/flows/${id}`, { data: broken.data });
    const order = { customer: 'Ann', quantity: 3, product: 'pencils' };
    for (let count = 0; count < 3; count += 1) await app.call('POST', '/api/v1/webhook/orders', order);
    const failures = `error_code=flow_refused&flow_id=${id}`;
    await until(async () => (await runs(failures)).length === 3);
    const failed = await runs(`${failures}&status=failed&flow_version=2`);
    expect(failed).toHaveLength(3);

    const activated = await app.call<object>('POST', `/api/v1/flows/${id}/versions/1/activate`);
    expect(activated).toMatchObject({ version: 3, restored_from: 1 });
    const bulk = { action: 'replay', filter: { error_code: 'flow_refused', flow_id: id } };
    const counted = await app.call<{ count: number; token: string }>('POST', '/api/v1/runs/bulk', {
      ...bulk,
      dry_run: true,
    });
    expect(counted.count).toBe(3);
    await app.call('POST', '/api/v1/runs/bulk', { ...bulk, token: counted.token });
    await until(async () => (await runs(`flow_id=${id}&status=succeeded`)).length === 3);
    const replays = await runs(`flow_id=${id}&flow_version=3`);
    expect(new Set(replays.map((run) => run.replay_of))).toEqual(new Set(failed.map((run) => run.id)));

    const diff = await app.call<{ vertices: { changed: unknown[] } }>(
      'GET',
      `/api/v1/flows/${id}/versions/2/diff`,
    );
    expect(diff.vertices.changed).not.toEqual([]);
  }, 120_000);
});

test('stores its encryption key in a file that only its owner can read', () => {
  const file = join(directory, 'encryption-key');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(Buffer.from(readFileSync(file, 'utf8').trim(), 'base64')).toHaveLength(32);
});

test('reports all invalid settings together and exits with 78', async () => {
  const started = startServiceProcess({
    app: 'standalone',
    flags: [],
    environment: { PORT: 'eighty', MILLRACE_CONCURRENCY: '0', MILLRACE_CONCURENCY: '4', LOG_LEVEL: 'loud' },
    print: () => undefined,
  });
  await expect(started).rejects.toThrow(/ended \(78\)/);
  await expect(started).rejects.toThrow(/PORT/);
  await expect(started).rejects.toThrow(/MILLRACE_CONCURRENCY must/);
  await expect(started).rejects.toThrow(/did you mean MILLRACE_CONCURRENCY/);
  await expect(started).rejects.toThrow(/LOG_LEVEL/);
});
