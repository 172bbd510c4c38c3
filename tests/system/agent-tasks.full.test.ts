import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServiceProcess } from '@millrace/scaled-system';
import type { ServiceProcess } from '@millrace/scaled-system';
import { flowData, node } from '@millrace/testing';

interface Task {
  readonly id: string;
  readonly contextId: string;
  readonly status: { readonly state: string; readonly message?: { readonly parts: readonly object[] } };
  readonly artifacts?: readonly object[];
}

const directory = mkdtempSync(join(tmpdir(), 'millrace-agent-tasks-'));
let service: ServiceProcess;
let url: string;
let key: string;
let flow: string;

beforeAll(async () => {
  const lines: string[] = [];
  service = await startServiceProcess({
    app: 'standalone',
    flags: ['--port', '0', '--data', directory],
    environment: { DATABASE_URL: '', AMQP_URL: '', REDIS_URL: '', LOG_LEVEL: 'info' },
    print: (line) => lines.push(line),
  });
  url = `http://127.0.0.1:${String(service.ready['port'])}`;
  key = /sk-[\w-]{43}/.exec(lines.join('\n'))?.[0] ?? '';
  const data = flowData(
    [
      node('ChatInput-a', { input_value: '' }, 'message'),
      node('HumanInput-h', { prompt: '' }, 'branch_approve', 'branch_reject'),
      node('ChatOutput-z', { input_value: '' }, 'message'),
    ],
    ['ChatInput-a.message > HumanInput-h.prompt', 'HumanInput-h.branch_approve > ChatOutput-z.input_value'],
  );
  const body = { name: 'asking', data, flow_type: 'agent', a2a_enabled: true };
  flow = (await post<{ id: string }>('/api/v1/flows/', body)).id;
}, 120_000);

afterAll(async () => {
  await service?.stop();
  rmSync(directory, { recursive: true, force: true });
}, 60_000);

async function post<Body>(path: string, body: unknown): Promise<Body> {
  const answer = await fetch(url + path, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Body;
}

async function call(method: string, params: object): Promise<Task> {
  const body = { jsonrpc: '2.0', id: 1, method, params };
  const answer = await post<{ result?: Task; error?: unknown }>(`/api/v1/a2a/${flow}/jsonrpc`, body);
  if (!answer.result) throw new Error(JSON.stringify(answer.error));
  return answer.result;
}

const send = (text: string, more: object = {}) =>
  call('message/send', {
    message: { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text }], ...more },
  });

test('a task that pauses needs input, and a message to it continues its run to the end', async () => {
  const asked = await send('Ship it?');
  expect(asked).toMatchObject({
    status: { state: 'input-required', message: { parts: [{ kind: 'text', text: 'Ship it?' }, {}] } },
  });
  const { id, contextId } = asked;
  expect(await call('tasks/get', { id })).toEqual(asked);
  expect(await send('Approve', { taskId: id, contextId })).toMatchObject({
    id,
    contextId,
    status: { state: 'completed' },
    artifacts: [{ parts: [{ kind: 'text', text: 'Ship it?' }] }],
  });
});

test('a task that waits is cancelled', async () => {
  const { id } = await send('Ship it?');
  expect(await call('tasks/cancel', { id })).toMatchObject({ id, status: { state: 'canceled' } });
  await expect(send('Approve', { taskId: id })).rejects.toThrow('TASK_STATE_CANCELED');
});
