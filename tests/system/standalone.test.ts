import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunResponse } from '@millrace/flow';
import { startServiceProcess } from '@millrace/scaled-system';
import type { ServiceProcess } from '@millrace/scaled-system';
import { callingAndScriptedFlows } from './calling-flows';

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

const directory = mkdtempSync(join(tmpdir(), 'millrace-standalone-'));
const lines: string[] = [];
let running: ServiceProcess | null = null;

afterAll(async () => {
  await running?.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** Starts the bundle as `npm start` does, with embedded parts. */
async function start(data = directory): Promise<{ service: ServiceProcess; url: string; output: string }> {
  lines.length = 0;
  const service = await startServiceProcess({
    app: 'standalone',
    flags: ['--port', '0', '--data', data],
    environment: { DATABASE_URL: '', AMQP_URL: '', REDIS_URL: '', LOG_LEVEL: 'info' },
    print: (line) => lines.push(line),
  });
  running = service;
  return { service, url: `http://127.0.0.1:${String(service.ready['port'])}`, output: lines.join('\n') };
}

test('keeps flows, keys, runs and sessions after kill -9, and shows the key only once', async () => {
  const first = await start();
  const key = /sk-[\w-]{43}/.exec(first.output)?.[0] ?? '';
  expect(key).not.toBe('');
  expect(first.output).toContain(`curl -X POST '${first.url}/api/v1/run/echo'`);
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const body = JSON.stringify({ input_value: 'remember me', session_id: 'kept' });
  const answer = await fetch(`${first.url}/api/v1/run/echo`, { method: 'POST', headers, body });
  expect(answer.status).toBe(200);
  const runId = answer.headers.get('x-run-id') ?? '';
  expect((await fetch(`${first.url}/api/v1/runs/${runId}`, { headers })).status).toBe(200);
  first.service.kill();
  await first.service.exited;

  const second = await start();
  expect(second.output).not.toMatch(/sk-[\w-]{43}/);
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

test('a response names the vertices that run the stock component in place of edited code', async () => {
  const { service, url, output } = await start(join(directory, 'edited'));
  const key = /sk-[\w-]{43}/.exec(output)?.[0] ?? '';
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const post = (path: string, body: unknown) =>
    fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const echo = JSON.parse(
    readFileSync(join(__dirname, '..', '..', 'examples', 'echo.json'), 'utf8'),
  ) as EditableFlow;
  for (const { data } of echo.data.nodes)
    if (data.type === 'ChatOutput') {
      data.node.edited = true;
      data.node.template['code'] = { type: 'code', value: 'class ChatOutput: """Written for this test."""' };
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
  expect((await service.stop()).code).toBe(0);
  running = null;
}, 120_000);

test('runs flows inside flows, and scripts in separate threads', async () => {
  const { service, url, output } = await start(join(directory, 'another'));
  const headers = { 'x-api-key': /sk-[\w-]{43}/.exec(output)?.[0] ?? '', 'content-type': 'application/json' };
  const post = (path: string, body: unknown) =>
    fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  for (const flow of Object.values(callingAndScriptedFlows('shouting')))
    expect((await post('/api/v1/flows/', flow)).status).toBe(201);
  const answer = await post('/api/v1/run/calls-shouting', { input_value: 'hello' });
  const { outputs } = (await answer.json()) as RunResponse;
  expect(outputs[0]?.outputs[0]?.outputs['message']?.message).toBe('HELLO!');
  expect((await service.stop()).code).toBe(0);
  running = null;
}, 120_000);

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
