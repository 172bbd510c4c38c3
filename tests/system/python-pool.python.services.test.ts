import { flowData, node } from '@millrace/testing';
import type { ServiceProcess } from '@millrace/scaled-system';
import { pythonExecutor, pythonPolicy, pythonProcesses, signal, until } from './python-executors.fixture';
import { PythonSink } from './python-sink.fixture';
import { startTestSystem } from './test-system';
import type { TestSystem } from './test-system';

let system: TestSystem;
let sink: PythonSink;

const startPythonExecutor = (): Promise<ServiceProcess> => system.startExecutor('python', pythonExecutor);

beforeAll(async () => {
  sink = await PythonSink.open();
  system = await startTestSystem({ pools: {}, environment: pythonPolicy });
}, 120_000);

afterAll(async () => {
  sink?.close();
  await system?.stop();
}, 60_000);

/** A flow of two components in Python that call these paths one after the other, in the pool of the settings. */
async function callingFlow(endpoint: string, first: string, second: string, settings = {}): Promise<void> {
  const answer = await system.post('/api/v1/flows/', {
    name: endpoint,
    endpoint_name: endpoint,
    settings,
    data: flowData(
      [
        sink.caller('CallOne-a', first),
        sink.caller('CallTwo-b', second),
        node('ChatOutput-z', {}, 'message'),
      ],
      ['CallOne-a.result > CallTwo-b.after', 'CallTwo-b.result > ChatOutput-z.input_value'],
    ),
  });
  expect(answer.status).toBe(201);
}

test('without an executor with Python, callers get 503 and webhooks wait for one', async () => {
  await callingFlow('waits', 'waits/a/first', 'waits/a/second');
  const refused = await system.post('/api/v1/run/waits', { input_value: '' });
  expect([refused.status, refused.headers.get('x-error-code'), await refused.text()]).toEqual([
    503,
    'no_executor',
    expect.stringContaining('The flow needs Python'),
  ]);
  expect((await system.post('/api/v1/webhook/waits', {})).status).toBe(202);
  expect(sink.count('waits')).toBe(0);
  system.executors.push(await startPythonExecutor());
  await until('the waiting run', () => sink.count('waits/a/second') === 1);
  const answer = await system.post('/api/v1/run/waits', { input_value: '' });
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('waits/a/second done')]);
}, 300_000);

test('a Python process that is killed fails its run; the executor serves the next one', async () => {
  await callingFlow('killed', 'killed/a/first', 'killed/a/held');
  const answer = system.post('/api/v1/run/killed', { input_value: '' });
  await until('the second call', () => sink.count('killed/a/held') === 1);
  const [executor] = system.executors;
  for (const pid of pythonProcesses(executor?.pid ?? 0)) signal(pid, 'SIGKILL');
  const failed = await answer;
  expect(failed.status).toBe(500);
  expect(await failed.text()).toContain('The Python process ended');
  // The executor may not have seen the ends of all other processes yet.
  await until('a run that succeeds', async () => {
    const next = await system.post('/api/v1/run/waits', { input_value: '' });
    return next.status === 200;
  });
}, 300_000);

test('a webhook whose Python process is killed is tried again once, and then it fails', async () => {
  await callingFlow('killed-webhook', 'killed-webhook/a/first', 'killed-webhook/a/held');
  const accepted = await system.post('/api/v1/webhook/killed-webhook', {});
  const path = `/api/v1/runs/${accepted.headers.get('x-run-id')}`;
  const run = () => system.getJson<{ status: string; attempt: number; failure: unknown }>(path);
  for (const attempt of [1, 2]) {
    await until('the second call', () => sink.count('killed-webhook/a/held') === attempt);
    expect(await run()).toMatchObject({ status: 'running', attempt });
    const [executor] = system.executors;
    for (const pid of pythonProcesses(executor?.pid ?? 0)) signal(pid, 'SIGKILL');
  }
  await until('the end of the run', async () => (await run()).status === 'failed');
  expect(JSON.stringify(await run())).toContain('The Python process ended');
  // The vertex that had finished is not computed again.
  expect(sink.count('killed-webhook/a/first')).toBe(1);
}, 300_000);

test('without a free process, callers get 503 and can try again, and webhooks wait for one', async () => {
  const settings = { pool: 'busy' };
  await callingFlow('holds', 'holds/a/held', 'holds/a/second', settings);
  await callingFlow('lacks', 'lacks/a/first', 'lacks/a/second', settings);
  const limits = { MILLRACE_PYTHON_PROCESSES: '1', MILLRACE_PYTHON_WAIT_SECONDS: '1' };
  system.executors.push(await system.startExecutor('busy', { ...pythonExecutor, ...limits }));
  const holding = system.post('/api/v1/run/holds', { input_value: '' });
  await until('the run that has the process', () => sink.count('holds/a/held') === 1);

  const refused = await system.post('/api/v1/run/lacks', { input_value: '' });
  const { status, headers } = refused;
  expect([status, headers.get('x-error-code'), headers.get('retry-after')]).toEqual([
    503,
    'python_busy',
    '2',
  ]);
  expect(await refused.json()).toEqual({ detail: 'No Python process was free within 1 s.' });
  const streamed = await system.post('/api/v1/run/lacks?stream=true', { input_value: '' });
  expect([streamed.status, await streamed.text()]).toEqual([
    200,
    expect.stringContaining('503: No Python process was free within 1 s.'),
  ]);

  const accepted = await system.post('/api/v1/webhook/lacks', {});
  const path = `/api/v1/runs/${accepted.headers.get('x-run-id')}`;
  const run = () => system.getJson<{ status: string; attempt: number }>(path);
  await until('a second attempt', async () => (await run()).attempt > 1);
  sink.release('holds');
  expect((await holding).status).toBe(200);
  await until('the end of the run', async () => (await run()).status === 'succeeded');
  expect(sink.count('lacks/a/second')).toBe(1);
}, 300_000);
