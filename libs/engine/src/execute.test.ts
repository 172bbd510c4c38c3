import { RunError } from '@millrace/flow';
import { planOf } from './testing/test-flow';
import { chatRequest, runPlan, texts } from './testing/test-run';

const chat = [{ type: 'ChatInput' }, { type: 'ChatOutput' }] as const;
const chatEdge = 'ChatInput-a.message > ChatOutput-a.input_value';

test('a chat flow responds in the recorded shape and stores both messages', async () => {
  const { response, stored, events } = await runPlan(planOf(chat, [chatEdge]), chatRequest('hello'));
  expect(response.session_id).toBe('session-1');
  expect(response.outputs).toHaveLength(1);
  expect(response.outputs[0]?.inputs).toEqual({ input_value: 'hello' });
  const [result] = response.outputs[0]!.outputs;
  const message = stored[1]!.fields;
  expect(result).toMatchObject({
    results: {
      message: {
        text_key: 'text',
        data: {
          text: 'hello',
          sender: 'Machine',
          session_id: 'session-1',
          id: message.id,
          run_id: message.runId,
        },
        default_value: '',
        session_metadata: { graph_run_id: '22222222-2222-4222-8222-222222222222' },
        flow_id: '11111111-1111-4111-8111-111111111111',
      },
    },
    artifacts: { message: 'hello', sender: 'Machine', sender_name: 'AI', files: [], type: 'object' },
    outputs: { message: { message: 'hello', type: 'text' } },
    logs: { message: [] },
    messages: [
      { message: 'hello', sender: 'Machine', sender_name: 'AI', component_id: 'ChatOutput-a', type: 'text' },
    ],
    timedelta: null,
    duration: null,
    component_display_name: 'Chat Output',
    component_id: 'ChatOutput-a',
    used_frozen_result: false,
    token_usage: null,
  });
  expect(message.timestamp).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6} UTC$/);
  expect(stored.map(({ fields }) => [fields.sender, fields.text])).toEqual([
    ['User', 'hello'],
    ['Machine', 'hello'],
  ]);
  expect(events).toEqual([]);
});

test('each input has separate results and messages', async () => {
  const inputs = ['one', 'two', 'three'].map(
    (inputValue) => ({ components: [], inputValue, type: 'any' }) as const,
  );
  const { response, stored } = await runPlan(planOf(chat, [chatEdge]), chatRequest('', { inputs }));
  expect(response.outputs.map((output) => output.inputs)).toEqual(
    inputs.map(({ inputValue }) => ({ input_value: inputValue })),
  );
  expect([0, 1, 2].map((input) => texts(response, input)['ChatOutput-a'])).toEqual(['one', 'two', 'three']);
  expect(stored).toHaveLength(6);
});

test('a run without inputs uses the saved values of the flow', async () => {
  const plan = planOf([{ type: 'ChatInput', values: { input_value: 'saved' } }, chat[1]], [chatEdge]);
  const { response } = await runPlan(plan, chatRequest('', { inputs: [] }));
  expect(response.outputs[0]?.inputs).toEqual({});
  expect(texts(response)).toEqual({ 'ChatOutput-a': 'saved' });
});

test('a branch without a connection to the chat input does not run', async () => {
  const plan = planOf(
    [...chat, { type: 'Join', values: { first: 'x' } }, { type: 'TextOutput' }],
    [chatEdge, 'Join-a.joined > TextOutput-a.input_value'],
  );
  const { response } = await runPlan(plan, chatRequest('c', { outputs: { by: 'type', type: 'debug' } }));
  expect(texts(response)).toEqual({ 'ChatInput-a': 'c', 'ChatOutput-a': 'c' });
  const text = await runPlan(plan, chatRequest('c', { outputs: { by: 'type', type: 'text' } }));
  expect(text.response.outputs[0]?.outputs).toEqual([]);
});

test('predecessors of reachable vertices run too, and without a chat input all vertices run', async () => {
  const leading = planOf(
    [...chat, { type: 'Join' }, { id: 'Join-b', type: 'Join', values: { first: 'up', second: 'stream' } }],
    [
      'ChatInput-a.message > Join-a.first',
      'Join-b.joined > Join-a.second',
      'Join-a.joined > ChatOutput-a.input_value',
    ],
  );
  expect(texts((await runPlan(leading, chatRequest('x'))).response)).toEqual({
    'ChatOutput-a': 'x|up|stream',
  });
  const orphan = planOf([{ type: 'Join', values: { first: 'a' } }, { type: 'TextOutput' }], []);
  const { response } = await runPlan(orphan, chatRequest('', { outputs: { by: 'type', type: 'debug' } }));
  expect(Object.keys(texts(response))).toEqual(['Join-a', 'TextOutput-a']);
});

test('results are selected by type, id and name, and are in node order', async () => {
  const plan = planOf(
    [...chat, { id: 'ChatOutput-b', type: 'ChatOutput', name: 'Second' }, { type: 'Join' }],
    [chatEdge, 'ChatInput-a.message > ChatOutput-b.input_value', 'ChatInput-a.message > Join-a.first'],
  );
  const ids = async (outputs: Parameters<typeof chatRequest>[1]): Promise<readonly string[]> =>
    Object.keys(texts((await runPlan(plan, chatRequest('q', outputs))).response));
  expect(await ids({ outputs: { by: 'type', type: 'any' } })).toEqual(['ChatOutput-a', 'ChatOutput-b']);
  expect(await ids({ outputs: { by: 'type', type: 'text' } })).toEqual(['ChatOutput-a', 'ChatOutput-b']);
  expect(await ids({ outputs: { by: 'component', component: 'Second' } })).toEqual(['ChatOutput-b']);
  expect(await ids({ outputs: { by: 'component', component: 'Unknown' } })).toEqual([]);
  expect(await ids({ outputs: { by: 'list', outputs: [] } })).toEqual(['ChatOutput-a', 'ChatOutput-b']);
  expect(await ids({ outputs: { by: 'list', outputs: ['Join-a', 'Chat Input'] } })).toEqual([
    'ChatInput-a',
    'Join-a',
  ]);
  expect(await ids({ outputs: { by: 'list', outputs: ['Unknown'] } })).toEqual([]);
});

test('a vertex that is neither input nor output has artifacts and logs, but no results', async () => {
  const plan = planOf(
    [...chat, { type: 'Join', values: { second: 's' } }],
    ['ChatInput-a.message > Join-a.first', 'Join-a.joined > ChatOutput-a.input_value'],
  );
  const { response } = await runPlan(
    plan,
    chatRequest('f', { outputs: { by: 'component', component: 'Join-a' } }),
  );
  expect(response.outputs[0]?.outputs[0]).toMatchObject({
    results: {},
    artifacts: { joined: { repr: 'f|s', raw: 'f|s', type: 'text' } },
    outputs: { joined: { message: 'f|s', type: 'text' } },
    logs: { joined: [{ name: 'Log 1', message: 'joined f|s', type: 'text' }] },
    messages: [],
  });
});

test('a vertex without a status shows its complete values; outputs that were not computed are unknown', async () => {
  const plan = planOf(
    [{ type: 'Numbers', fields: { data: { type: 'dict', value: { a: 1 } } } }, { type: 'Join' }],
    ['Numbers-a.data > Join-a.extra'],
  );
  const { response } = await runPlan(
    plan,
    chatRequest('', { outputs: { by: 'component', component: 'Numbers-a' } }),
  );
  expect(response.outputs[0]?.outputs[0]).toMatchObject({
    artifacts: { data: { repr: '{\n    "a": 1\n}', raw: { a: 1 }, type: 'object' } },
    outputs: { data: { message: { a: 1 }, type: 'data' }, note: { message: '', type: 'unknown' } },
    logs: { data: [] },
  });
});

test('a webhook payload reaches the webhook unchanged and starts the run', async () => {
  const plan = planOf(
    [...chat, { type: 'Webhook' }, { type: 'TextOutput' }, { type: 'Join' }],
    [chatEdge, 'Webhook-a.output_data > Join-a.extra', 'Join-a.joined > TextOutput-a.input_value'],
  );
  const { response } = await runPlan(
    plan,
    chatRequest('', {
      form: 'webhook',
      webhookPayload: '{"a":"x\\ny"}',
      outputs: { by: 'type', type: 'debug' },
    }),
  );
  expect(response.outputs[0]?.outputs.map((result) => result.component_id)).toEqual([
    'Webhook-a',
    'TextOutput-a',
    'Join-a',
  ]);
  expect(response.outputs[0]?.outputs[0]?.results['output_data']).toEqual({
    text_key: 'text',
    data: { payload: '{"a":"x\\ny"}' },
    default_value: '',
  });
});

test('a webhook payload reaches every webhook vertex', async () => {
  const plan = planOf(
    [{ type: 'Webhook' }, { id: 'Webhook-b', type: 'Webhook' }, { type: 'Join' }, { type: 'TextOutput' }],
    [
      'Webhook-a.output_data > Join-a.extra',
      'Webhook-b.output_data > Join-a.extra',
      'Join-a.joined > TextOutput-a.input_value',
    ],
  );
  const request = chatRequest('', {
    form: 'webhook',
    webhookPayload: '{"n":1}',
    outputs: { by: 'type', type: 'debug' },
  });
  const { response } = await runPlan(plan, request);
  const given = Object.fromEntries(
    response.outputs[0]!.outputs.map((result) => [result.component_id, result.results['output_data']]),
  );
  expect(given['Webhook-a']).toMatchObject({ data: { payload: '{"n":1}' } });
  expect(given['Webhook-b']).toEqual(given['Webhook-a']);
});

test('a run is refused when a vertex it would reach cannot run, with the vertex and the reason', async () => {
  const unknown = planOf(
    [...chat, { type: 'Agent', name: 'My Agent' }],
    ['ChatInput-a.message > Agent-a.input_value', 'Agent-a.response > ChatOutput-a.input_value'],
  );
  await expect(runPlan(unknown, chatRequest('x'))).rejects.toMatchObject({
    code: 'flow_refused',
    message: expect.stringMatching(
      /^This flow cannot run: "My Agent" \(Agent\): there is no component of this type\. It can run in Python/,
    ),
    problems: [{ vertexId: 'Agent-a', componentType: 'Agent' }],
  });
  const unreachable = planOf([...chat, { type: 'Agent' }], [chatEdge]);
  expect(texts((await runPlan(unreachable, chatRequest('x'))).response)).toEqual({ 'ChatOutput-a': 'x' });
});

test('the response and the number of executed vertices are bounded', async () => {
  const plan = planOf(chat, [chatEdge]);
  const limits = { maximumVertices: 1, maximumOutputBytes: 1_000_000 };
  await expect(runPlan(plan, chatRequest('x'), { limits })).rejects.toMatchObject({
    code: 'too_many_vertices',
  });
  const small = { maximumVertices: 10, maximumOutputBytes: 2_000 };
  await expect(runPlan(plan, chatRequest('x'.repeat(3_000)), { limits: small })).rejects.toBeInstanceOf(
    RunError,
  );
  await expect(runPlan(plan, chatRequest('x'.repeat(3_000)), { limits: small })).rejects.toMatchObject({
    code: 'output_too_large',
  });
});

test('vertices that wait for each other fail the run with a deadlock', async () => {
  const plan = planOf(
    [...chat, { type: 'Join' }, { id: 'Join-b', type: 'Join' }],
    [
      'ChatInput-a.message > Join-a.first',
      'Join-a.joined > Join-b.first',
      'Join-b.joined > Join-a.second',
      'Join-b.joined > ChatOutput-a.input_value',
    ],
  );
  await expect(runPlan(plan, chatRequest('x'))).rejects.toMatchObject({ code: 'deadlocked' });
});
