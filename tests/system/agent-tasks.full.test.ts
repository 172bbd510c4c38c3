import { flowData, forAllTests, node } from '@millrace/testing';
import { startStandalone } from './start-standalone';

interface Task {
  readonly id: string;
  readonly contextId: string;
  readonly status: { readonly state: string; readonly message?: { readonly parts: readonly object[] } };
  readonly artifacts?: readonly object[];
}

let flow: string;

const app = forAllTests(startStandalone);
beforeAll(async () => {
  const data = flowData(
    [
      node('ChatInput-a', { input_value: '' }, 'message'),
      node('HumanInput-h', { prompt: '' }, 'branch_approve', 'branch_reject'),
      node('ChatOutput-z', { input_value: '' }, 'message'),
    ],
    ['ChatInput-a.message > HumanInput-h.prompt', 'HumanInput-h.branch_approve > ChatOutput-z.input_value'],
  );
  const body = { name: 'asking', data, flow_type: 'agent', a2a_enabled: true };
  flow = (await app.call<{ id: string }>('POST', '/api/v1/flows/', body)).id;
}, 120_000);

async function call(method: string, params: object): Promise<Task> {
  const body = { jsonrpc: '2.0', id: 1, method, params };
  const answer = await app.call<{ result?: Task; error?: unknown }>(
    'POST',
    `/api/v1/a2a/${flow}/jsonrpc`,
    body,
  );
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
