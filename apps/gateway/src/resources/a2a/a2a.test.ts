import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '@millrace/service/testing';
import { AgentCalls, message, rpc } from '../../testing/agent-calls';
import type { Json, Task } from '../../testing/agent-calls';

const examples = join(__dirname, '../../../../../examples');
const echo = JSON.parse(readFileSync(join(examples, 'echo.json'), 'utf8')) as {
  readonly data: { readonly nodes: readonly object[]; readonly edges: readonly object[] };
};
const UNKNOWN = '11111111-1111-4111-8111-111111111111';
const UUID = expect.stringMatching(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/) as unknown;
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as unknown;

let agents: AgentCalls;
beforeAll(async () => {
  agents = await AgentCalls.open();
}, 60_000);
afterAll(() => agents.gateway.close());
afterEach(() => {
  agents.gateway.executor.handleJob = null;
});

/** Makes the executor hold runs until the returned function lets them end. */
function holdRuns(): () => void {
  let letGo = () => {};
  const held = new Promise<void>((resolve) => (letGo = resolve));
  agents.gateway.executor.handleJob = async ({ job, final }) => {
    await agents.gateway.runs.claim([{ runId: job.runId, worker: 'test', redelivered: false }]);
    void held.then(() => final('failed', { code: 'cancelled', message: 'x', vertex: null, problems: [] }));
  };
  return letGo;
}

describe('a call', () => {
  test('without the key of the owner is refused', async () => {
    const body = rpc('tasks/get', { id: 'x' });
    expect(await agents.post(body, { 'x-api-key': '' })).toMatchObject({
      status: 401,
      json: { detail: 'API key required' },
    });
    expect(await agents.post(body, { 'x-api-key': 'sk-nope' })).toMatchObject({
      status: 401,
      json: { detail: 'Invalid API key' },
    });
    expect((await agents.post(body, { 'x-api-key': agents.other.key })).status).toBe(404);
  });

  test('answers with a task, which can be read again', async () => {
    const answer = await agents.call('message/send', message());
    expect(answer).toEqual({
      jsonrpc: '2.0',
      id: 'r1',
      result: {
        id: UUID,
        contextId: UUID,
        kind: 'task',
        status: { state: 'completed', timestamp: TIME },
        artifacts: [{ artifactId: UUID, name: 'result', parts: [{ kind: 'text', text: 'hi' }] }],
      },
    });
    const { id } = answer['result'] as Task;
    expect(await agents.call('tasks/get', { id })).toEqual(answer);
    expect(await agents.call('tasks/get', { id, historyLength: 3 })).toEqual(answer);
    expect((await agents.owner.call('GET', `/api/v1/runs/${id}`)).json).toMatchObject({
      status: 'succeeded',
    });
  });

  test('continues a conversation by its id', async () => {
    const first = await agents.send(message({ contextId: 'talk' }));
    const second = await agents.send(message({ contextId: 'talk' }));
    expect([first.contextId, second.contextId]).toEqual(['talk', 'talk']);
    const path = '/api/v1/monitor/messages?order_by=timestamp';
    const stored = (await agents.owner.call('GET', path)).json as { session_id: string; text: string }[];
    const session = stored.find(({ session_id: id }) => id.endsWith(':talk'))?.session_id;
    expect(stored.filter(({ session_id: id }) => id === session)).toHaveLength(4);
    // Langflow's namespace of this user and flow.
    expect(session).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}:talk$/);
  });

  test.each([
    [
      [
        { kind: 'text', text: 'a' },
        { kind: 'text', text: 'b' },
        { kind: 'data', data: { x: 1 } },
      ],
      'a\nb',
    ],
    [[{ text: 'no kind' }], 'no kind'],
    [[{ kind: 'data', data: { a: [1, 2], c: 'é' } }], '{"a": [1, 2], "c": "\\u00e9"}'],
    [
      [
        { kind: 'data', data: { a: '1' } },
        { kind: 'data', data: { b: '2' } },
      ],
      '[{"a": "1"}, {"b": "2"}]',
    ],
    [[{ kind: 'text', text: '' }], ''],
  ])('with the parts %j gives the flow their text', async (parts, text) => {
    expect(await agents.send(message({ parts }))).toMatchObject({ artifacts: [{ parts: [{ text }] }] });
  });

  test('of a flow with several outputs has a part for each', async () => {
    const [input, output, wire] = [...echo.data.nodes, ...echo.data.edges];
    const second = (part: unknown) => JSON.parse(JSON.stringify(part).replaceAll('echo2', 'echo3')) as object;
    const data = { nodes: [input, output, second(output)], edges: [wire, second(wire)] };
    const flow = await agents.createFlow({ name: 'two', data, flow_type: 'agent', a2a_enabled: true });
    const answer = (await agents.post(rpc('message/send', message()), {}, flow)).json as { result: unknown };
    const text = { kind: 'text', text: 'hi' };
    expect(answer.result).toMatchObject({ artifacts: [{ parts: [text, text] }] });
  });

  test('of a flow that fails is a failed task, without the reason', async () => {
    agents.gateway.executor.handleJob = async ({ job, final }) => {
      const failure = { code: 'component_failed', message: 'a secret', vertex: null, problems: [] } as const;
      await agents.gateway.runs.claim([{ runId: job.runId, worker: 'test', redelivered: false }]);
      await agents.gateway.runs.complete([
        { runId: job.runId, attempt: 1, status: 'failed', result: null, failure, messages: [] },
      ]);
      await final('failed', failure);
    };
    const answer = await agents.call('message/send', message());
    const { id, contextId } = answer['result'] as Task;
    expect(answer['result']).toEqual({
      id,
      contextId,
      kind: 'task',
      status: {
        state: 'failed',
        timestamp: TIME,
        message: {
          kind: 'message',
          role: 'agent',
          messageId: UUID,
          parts: [{ kind: 'text', text: 'Flow execution failed' }],
          taskId: id,
          contextId,
        },
      },
    });
  });

  test.each([false, 'no'])('with blocking %j answers at once, and its task ends later', async (blocking) => {
    const answer = await agents.call('message/send', { ...message(), configuration: { blocking } });
    expect(answer['result']).toEqual({
      id: UUID,
      contextId: UUID,
      kind: 'task',
      status: { state: 'submitted' },
    });
    const { id } = answer['result'] as Task;
    expect((await agents.owner.call('GET', `/api/v1/runs/${id}`)).json).toMatchObject({
      flow_id: agents.owner.ids.flow,
    });
  });
});

describe('a stream', () => {
  test('sends the task, its changes and its artifact', async () => {
    const events = await agents.readStream('message/stream', message({ contextId: 'talk' }));
    const results = events.map(({ result }) => result as Json);
    const taskId = results[0]?.['id'];
    const changed = { contextId: 'talk', taskId };
    expect(events.every(({ id, jsonrpc }) => id === 'r1' && jsonrpc === '2.0')).toBe(true);
    expect(results).toEqual([
      { id: UUID, contextId: 'talk', kind: 'task', status: { state: 'submitted' } },
      { ...changed, kind: 'status-update', status: { state: 'working', timestamp: TIME }, final: false },
      {
        ...changed,
        kind: 'artifact-update',
        artifact: { artifactId: UUID, name: 'result', parts: [{ kind: 'text', text: 'hi' }] },
        append: false,
        lastChunk: false,
      },
      { ...changed, kind: 'status-update', status: { state: 'completed', timestamp: TIME }, final: true },
    ]);
    expect(await agents.call('tasks/get', { id: taskId })).toMatchObject({
      result: { status: { state: 'completed' } },
    });
  });

  test('of a task that was cancelled ends with that, also for a second reader', async () => {
    const letGo = holdRuns();
    const { id } = await agents.send({ ...message(), configuration: { blocking: false } });
    await agents.gateway.runs.claim([{ runId: id, worker: 'test', redelivered: false }]);
    const reading = agents.readStream('tasks/resubscribe', { id });
    const cancelling = agents.call('tasks/cancel', { id });
    await until(async () => {
      const text = 'SELECT FROM runs WHERE id = $1 AND cancel_requested';
      return (await agents.gateway.database.query({ text, values: [id] })).rowCount > 0;
    });
    await agents.gateway.runs.complete([
      {
        runId: id,
        attempt: 1,
        status: 'cancelled',
        result: null,
        failure: { code: 'cancelled', message: 'x', vertex: null, problems: [] },
        messages: [],
      },
    ]);
    expect(await cancelling).toMatchObject({
      result: { id, status: { state: 'canceled', timestamp: TIME } },
    });
    const last = (await reading).at(-1)?.['result'];
    expect(last).toMatchObject({ kind: 'status-update', status: { state: 'canceled' }, final: true });
    expect(await agents.errorOf('tasks/cancel', { id })).toEqual([-32_002, 'Task cannot be canceled']);
    letGo();
  });

  test.each([
    ['message/stream', { message: { ...message().message, parts: [] } }, -32_602],
    ['message/stream', message({ taskId: UNKNOWN }), -32_001],
    ['tasks/resubscribe', { id: UNKNOWN }, -32_001],
  ])('%s of %j has one event with the error', async (method, params, code) => {
    if (code === -32_602) {
      expect(await agents.errorOf(method, params)).toEqual([code, 'Validation failed']);
      return;
    }
    expect(await agents.readStream(method, params)).toMatchObject([
      { id: 'r1', jsonrpc: '2.0', error: { code } },
    ]);
  });

  test('of an ended task cannot be opened again', async () => {
    const { id } = await agents.send(message());
    const [event] = await agents.readStream('tasks/resubscribe', { id });
    expect(event).toMatchObject({
      error: { code: -32_004, message: `Task ${id} has no active stream to resubscribe to` },
    });
  });
});

describe('a task', () => {
  test('is cancelled before it begins', async () => {
    agents.gateway.executor.handleJob = () => Promise.resolve();
    const { id } = await agents.send({ ...message(), configuration: { blocking: false } });
    expect(await agents.call('tasks/cancel', { id })).toMatchObject({
      result: { id, status: { state: 'canceled' } },
    });
    expect(await agents.call('tasks/get', { id })).toMatchObject({
      result: { status: { state: 'canceled' } },
    });
    const audit = await agents.gateway.call('GET', '/api/v1/audit?action=run.cancelled');
    expect(audit.text).toContain(id);
  });

  test('that runs is working', async () => {
    const letGo = holdRuns();
    const before = agents.gateway.executor.jobs.length;
    const sending = agents.send(message());
    await until(() => agents.gateway.executor.jobs.length > before);
    const id = agents.gateway.executor.jobs.at(-1)?.runId ?? '';
    await until(async () => {
      const { result } = (await agents.call('tasks/get', { id })) as { result?: Task };
      return result?.status.state === 'working';
    });
    expect(await agents.errorOf('message/send', message({ taskId: id }))).toEqual([
      -32_004,
      `Task ${id} is in state TASK_STATE_WORKING and takes no message`,
    ]);
    await agents.gateway.runs.complete([
      { runId: id, attempt: 1, status: 'failed', result: null, failure: null, messages: [] },
    ]);
    letGo();
    expect(await sending).toMatchObject({ id, status: { state: 'failed' } });
  });

  test('of another flow, of another user, or of a run that is no task is unknown', async () => {
    const body = { ...echo, name: 'second', endpoint_name: 'second', flow_type: 'agent', a2a_enabled: true };
    const second = await agents.createFlow(body);
    const { id } = await agents.send(message());
    const asked = async (flow: string, key: string, task: string) =>
      (await agents.post(rpc('tasks/get', { id: task }), { 'x-api-key': key }, flow)).json;
    const unknown = {
      jsonrpc: '2.0',
      id: 'r1',
      error: { code: -32_001, message: 'Task not found', data: null },
    };
    expect(await asked(second, agents.owner.key, id)).toEqual(unknown);
    expect(await asked(agents.other.ids.flow, agents.other.key, id)).toEqual(unknown);
    expect(await asked(agents.owner.ids.flow, agents.owner.key, agents.owner.ids.run)).toEqual(unknown);
    expect(await asked(agents.owner.ids.flow, agents.owner.key, 'nope')).toEqual(unknown);
    expect(await agents.errorOf('tasks/cancel', { id: UNKNOWN })).toEqual([-32_001, 'Task not found']);
    await agents.owner.call('DELETE', `/api/v1/flows/${second}`);
  });

  test('that has ended takes no message', async () => {
    const { id, contextId } = await agents.send(message());
    expect(await agents.errorOf('message/send', message({ taskId: id }))).toEqual([
      -32_004,
      `Task ${id} is in terminal state: TASK_STATE_COMPLETED`,
    ]);
    expect(await agents.errorOf('message/send', message({ taskId: id, contextId: 'else' }))).toEqual([
      -32_602,
      `Context else does not match context ${contextId} of task ${id}`,
    ]);
    expect(await agents.errorOf('message/send', message({ taskId: UNKNOWN }))).toEqual([
      -32_001,
      `Task ${UNKNOWN} not found`,
    ]);
  });
});
