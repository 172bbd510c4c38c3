import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { ServiceProcess } from '@millrace/scaled-system';
import { flowData, node } from '@millrace/testing';
import { startTestSystem } from './test-system';
import type { TestSystem } from './test-system';

let system: TestSystem;
let sink: Server;
/** The requests that components sent, and the responses that they wait for. */
const calls: { readonly path: string; readonly response: ServerResponse }[] = [];

const python = {
  MILLRACE_PYTHON: 'all',
  MILLRACE_PYTHON_ALL_ALLOWED: 'true',
  MILLRACE_PYTHON_WAIT_SECONDS: '60',
  MILLRACE_PYTHON_ENVIRONMENT: dirname(dirname(process.env['TEST_PYTHON'] ?? '')),
};
// The executors of the default pool have no Python; those of the other pool are started with it.
const { MILLRACE_PYTHON, MILLRACE_PYTHON_ALL_ALLOWED } = python;
const startPythonExecutor = (): Promise<ServiceProcess> => system.startExecutor('python', python);

beforeAll(async () => {
  sink = createServer((request, response) => {
    calls.push({ path: request.url ?? '', response });
    if (!request.url?.endsWith('/held')) response.end('done');
  });
  await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve));
  system = await startTestSystem({
    pools: {},
    environment: { MILLRACE_PYTHON, MILLRACE_PYTHON_ALL_ALLOWED },
  });
}, 120_000);

afterAll(async () => {
  sink?.closeAllConnections();
  sink?.close();
  await system?.stop();
}, 60_000);

const caller = (name: string): string => `import urllib.request

from lfx.custom import Component
from lfx.io import MessageTextInput, Output
from lfx.schema.message import Message


class ${name}(Component):
    inputs = [MessageTextInput(name="path"), MessageTextInput(name="after")]
    outputs = [Output(name="result", method="call")]

    def call(self) -> Message:
        url = "http://127.0.0.1:${(sink.address() as AddressInfo).port}/" + self.path
        with urllib.request.urlopen(url) as answer:
            return Message(text=self.path + " " + answer.read().decode())
`;

/** A flow of two components in Python that call these paths one after the other. */
async function callingFlow(endpoint: string, first: string, second: string): Promise<void> {
  const vertex = (id: string, path: string): ReturnType<typeof node> => {
    const code = { type: 'code', value: caller(id.split('-')[0] ?? '') };
    return node(id, { path, after: '', code }, { name: 'result', method: 'call', types: ['Message'] });
  };
  const answer = await system.post('/api/v1/flows/', {
    name: endpoint,
    endpoint_name: endpoint,
    data: flowData(
      [vertex('CallOne-a', first), vertex('CallTwo-b', second), node('ChatOutput-z', {}, 'message')],
      ['CallOne-a.result > CallTwo-b.after', 'CallTwo-b.result > ChatOutput-z.input_value'],
    ),
  });
  expect(answer.status).toBe(201);
}

async function until(what: string, isTrue: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await isTrue()); tries += 1) {
    if (tries === 900) throw new Error(`${what} did not happen`);
    await pause(100);
  }
}
const callsOf = (path: string) => calls.filter((call) => call.path === `/${path}`);

test('without an executor with Python, callers get 503 and webhooks wait for one', async () => {
  await callingFlow('waits', 'waits-1', 'waits-2');
  const refused = await system.post('/api/v1/run/waits', { input_value: '' });
  expect([refused.status, refused.headers.get('x-error-code'), await refused.text()]).toEqual([
    503,
    'no_executor',
    expect.stringContaining('The flow needs Python'),
  ]);
  expect((await system.post('/api/v1/webhook/waits', {})).status).toBe(202);
  expect(callsOf('waits-1')).toHaveLength(0);
  system.executors.push(await startPythonExecutor());
  await until('the waiting run', () => callsOf('waits-2').length === 1);
  const answer = await system.post('/api/v1/run/waits', { input_value: '' });
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('waits-2 done')]);
}, 300_000);

test('a run whose executor is killed goes on in another one, without repeating the vertex that had finished', async () => {
  await callingFlow('effects', 'effects-1', 'effects/held');
  expect((await system.post('/api/v1/webhook/effects', {})).status).toBe(202);
  await until('the second call', () => callsOf('effects/held').length === 1);
  const victim = system.executors.pop();
  victim?.kill();
  await victim?.exited;
  system.executors.push(await startPythonExecutor());
  await until('the second attempt', () => callsOf('effects/held').length === 2);
  for (const { response } of callsOf('effects/held')) response.end('at last');
  const run = async () =>
    (await system.getJson<{ runs: { status: string; attempt: number }[] }>('/api/v1/runs?limit=1')).runs[0];
  await until('the end of the run', async () => (await run())?.status === 'succeeded');
  expect(await run()).toMatchObject({ attempt: 2 });
  expect(callsOf('effects-1')).toHaveLength(1);
}, 300_000);

test('a Python process that is killed fails its run; the executor serves the next one', async () => {
  await callingFlow('killed', 'killed-1', 'killed/held');
  const answer = system.post('/api/v1/run/killed', { input_value: '' });
  await until('the second call', () => callsOf('killed/held').length === 1);
  const [executor] = system.executors;
  for (const pid of leasedProcesses(executor?.pid ?? 0)) process.kill(pid, 'SIGKILL');
  const failed = await answer;
  expect(failed.status).toBe(500);
  expect(await failed.text()).toContain('The Python process ended');
  const next = await system.post('/api/v1/run/waits', { input_value: '' });
  expect(next.status).toBe(200);
}, 300_000);

/** The processes that the zygote of an executor has forked. */
function leasedProcesses(executor: number): readonly number[] {
  const childrenOf = (parent: number) =>
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => parentOf(pid) === parent);
  return childrenOf(executor).flatMap((zygote) => childrenOf(zygote));
}

function parentOf(pid: number): number {
  try {
    const [, fields = ''] = /\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return Number(fields.split(' ')[1]);
  } catch {
    // It has ended.
    return 0;
  }
}
