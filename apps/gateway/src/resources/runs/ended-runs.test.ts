import { randomUUID } from 'node:crypto';
import type { RunRequest } from '@millrace/flow';
import { uuidv7 } from '@millrace/service';
import { gatewayForTests, TEST_KEY } from '../../testing/test-gateway';

let flowId: string;
const gateway = gatewayForTests();
beforeAll(async () => {
  flowId = await gateway.createFlow({
    name: 'fragile',
    endpoint_name: 'fragile',
    data: { nodes: [], edges: [] },
  });
}, 60_000);

const failure = { code: 'attempts_exhausted', message: 'The run was given up.', vertex: null, problems: [] };

/** Creates a dead run. */
async function deadRun(ofFlow = flowId): Promise<string> {
  const id = uuidv7();
  const request = {
    form: 'webhook',
    inputs: [],
    outputs: { by: 'type', type: 'chat' },
    tweaks: {},
    stream: false,
    sessionId: 's',
    globalVariables: {},
  } as const;
  const { runs, user } = gateway;
  const place = {
    flowId: ofFlow,
    flowVersion: 1,
    userId: user.id,
    lane: 'background',
    pool: 'default',
  } as const;
  const limits = { limitMilliseconds: 1_000, maximumAttempts: 3 };
  await runs.accept([{ id, ...place, origin: 'webhook', request, sessionId: 's', ...limits }]);
  await runs.claim([{ runId: id, worker: 'one', redelivered: false }]);
  await runs.complete([{ runId: id, attempt: 1, status: 'dead', result: null, failure, messages: [] }]);
  return id;
}

test('dead runs are listed with their errors', async () => {
  const id = await deadRun();
  const { json } = await gateway.call('GET', `/api/v1/runs?status=dead&flow_id=${flowId}`);
  expect(json).toMatchObject({ runs: [{ id, status: 'dead', error: failure }] });
  const shown = await gateway.call('GET', `/api/v1/runs/${id}`);
  expect(shown.json).toMatchObject({ id, status: 'dead', error: failure, result: null });
});

test('a dead run is replayed once, by a run that refers to it', async () => {
  const id = await deadRun();
  const first = await gateway.call('POST', `/api/v1/runs/${id}/replay`);
  expect(first.status).toBe(202);
  const replay = (first.json as { runs: { replayed_as: string }[] }).runs[0]?.replayed_as ?? '';
  expect((await gateway.call('GET', `/api/v1/runs/${replay}`)).json).toMatchObject({
    status: 'accepted',
    replay_of: id,
  });
  const unknown = randomUUID();
  const many = await gateway.call('POST', '/api/v1/runs/replay', { runs: [id.toUpperCase(), unknown] });
  expect(many.json).toEqual({
    runs: [
      { id, replayed_as: replay },
      { id: unknown, replayed_as: null },
    ],
  });
});

/** Stores a run with this request that waits. */
async function waitingRun(request: Partial<RunRequest>, ofFlow = flowId): Promise<string> {
  const id = uuidv7();
  const whole: RunRequest = {
    form: 'simple',
    inputs: [{ components: [], inputValue: 'hello', type: 'chat' }],
    outputs: { by: 'type', type: 'chat' },
    tweaks: {},
    stream: false,
    sessionId: 's',
    globalVariables: { TOKEN: 'secret' },
    ...request,
  };
  const { runs, user } = gateway;
  const lane = { lane: 'background', pool: 'default' } as const;
  const place = { flowId: ofFlow, flowVersion: 1, userId: user.id, ...lane };
  const origin = whole.form === 'simple' ? 'run' : whole.form;
  const limits = { limitMilliseconds: 1_000, maximumAttempts: 3 };
  await runs.accept([{ id, ...place, origin, request: whole, sessionId: whole.sessionId, ...limits }]);
  return id;
}

const simple = { inputs: [{ components: [], input_value: 'hello', type: 'chat' }], webhook_payload: null };
const hook = { form: 'webhook', webhookPayload: '{"customer":"Ann"}' } as const;

test.each<[string, Partial<RunRequest>, object, object]>([
  [
    'the body of a webhook as text',
    hook,
    { webhook_payload: '{"customer": "Zoe"}' },
    { webhook_payload: '{"customer": "Zoe"}', stream: false },
  ],
  [
    'the body of a webhook as JSON',
    hook,
    { webhook_payload: { customer: 'Zoe' } },
    { webhook_payload: '{"customer":"Zoe"}', inputs: simple.inputs },
  ],
  [
    'the input of a run',
    {},
    { input_value: 'bye' },
    { ...simple, inputs: [{ ...simple.inputs[0], input_value: 'bye' }], stream: true },
  ],
  [
    'the input of a run without one',
    { inputs: [] },
    { input_value: 'bye' },
    { inputs: [{ ...simple.inputs[0], input_value: 'bye' }] },
  ],
  [
    'all inputs of an advanced run',
    { form: 'advanced' },
    {
      inputs: [
        { input_value: 'a', components: ['ChatInput-1'] },
        { input_value: 'b', type: 'text' },
      ],
    },
    {
      form: 'advanced',
      inputs: [
        { components: ['ChatInput-1'], input_value: 'a', type: 'any' },
        { components: [], input_value: 'b', type: 'text' },
      ],
    },
  ],
  [
    'tweaks, session and files',
    { tweaks: { a: { b: 1 } } },
    { tweaks: { c: { d: 2 } }, session_id: 't', files: ['f/x.txt'] },
    { ...simple, tweaks: { c: { d: 2 } }, session_id: 't', files: ['f/x.txt'] },
  ],
  [
    'the payload of a trigger in its tweaks',
    { ...hook, tweaks: { event_payload: '{}' } },
    { tweaks: { event_payload: '{"kind":"schedule"}' } },
    { tweaks: { event_payload: '{"kind":"schedule"}' }, webhook_payload: hook.webhookPayload },
  ],
])('a replay changes %s, and keeps the rest of the request', async (_what, request, changes, expected) => {
  const id = await waitingRun(request);
  const again = async () => {
    const { status, json } = await gateway.call('POST', `/api/v1/runs/${id}/replay`, changes);
    expect(status).toBe(202);
    return (json as { runs: { replayed_as: string }[] }).runs[0]?.replayed_as ?? '';
  };
  const [first, second] = [await again(), await again()];
  expect(new Set([id, first, second]).size).toBe(3);
  const { json } = await gateway.call('GET', `/api/v1/runs/${first}/request`);
  const variables = ['TOKEN'];
  expect(json).toMatchObject({ session_id: 's', global_variables: variables, ...expected });
  const shown = (await gateway.call('GET', `/api/v1/runs/${first}`)).json as Record<string, unknown>;
  expect(shown).toMatchObject({
    replay_of: id,
    status: 'accepted',
    session_id: (json as { session_id: string }).session_id,
  });
});

test('a changed replay of a followed workflow streams its models, whatever their nodes say', async () => {
  const id = await waitingRun({ stream: true, vertexEvents: true, keepsStreamFields: true });
  const { json } = await gateway.call('POST', `/api/v1/runs/${id}/replay`, { input_value: 'bye' });
  const as = (json as { runs: { replayed_as: string }[] }).runs[0]?.replayed_as ?? '';
  const { request } = (await gateway.runs.find(gateway.user.id, as)) ?? {};
  expect(request).toMatchObject({ stream: true, vertexEvents: true });
  expect(request).not.toHaveProperty('keepsStreamFields');
});

test('a replay with tweaks is refused by the protected fields of the version that it runs', async () => {
  const withFields = (template: object) => ({
    nodes: [{ id: 'TextInput-1', data: { id: 'TextInput-1', type: 'TextInput', node: { template } } }],
    edges: [],
  });
  const code = { type: 'code', value: 'class A: pass' };
  const flow = await gateway.createFlow({ name: 'protected', data: withFields({ code }) });
  await gateway.call('PATCH', `/api/v1/flows/${flow}`, { data: withFields({}) });
  const id = await waitingRun({}, flow);
  const replay = async (version: string) => {
    const changes = { tweaks: { 'TextInput-1': { code: 'class B: pass' } } };
    const { status, json } = await gateway.call(
      'POST',
      `/api/v1/runs/${id}/replay?version=${version}`,
      changes,
    );
    return [status, (json as { detail?: { code: string } }).detail?.code];
  };
  expect(await replay('same')).toEqual([422, 'TWEAKS_REFUSED']);
  expect(await replay('current')).toEqual([202, undefined]);
});

test('replays count for the limits of requests of their flow', async () => {
  const data = { nodes: [], edges: [] };
  const limited = await gateway.createFlow({ name: 'limited', endpoint_name: 'limited', data });
  const ids = [await deadRun(limited), await deadRun(limited)];
  const limit = (body: object) => gateway.call('PUT', `/api/v1/limits/flows/${limited}`, body);
  expect((await limit({ requests_per_second: 0.01 })).status).toBe(200);
  const replay = async (id = '', changes?: object) =>
    (await gateway.call('POST', `/api/v1/runs/${id}/replay`, changes)).status;
  expect(await replay(ids[0])).toBe(202);
  expect([await replay(ids[1]), await replay(ids[1], { input_value: 'y' })]).toEqual([429, 429]);
  await limit({});
  expect([await replay(ids[1], { input_value: 'y' }), await replay(ids[1])]).toEqual([202, 202]);
  await gateway.call('DELETE', `/api/v1/runs?status=dead&flow_id=${limited}`);
});

test('changes of a replay that are unknown or of a wrong type are refused', async () => {
  const id = await waitingRun({});
  for (const changes of [{ payload: {} }, { tweaks: 'x' }, { files: 'x' }, { inputs: [{ value: 'x' }] }, [1]])
    expect((await gateway.call('POST', `/api/v1/runs/${id}/replay`, changes)).status).toBe(422);
  const none = await gateway.call('POST', `/api/v1/runs/${id}/replay`, { input_value: null });
  expect(none.json).toEqual({ detail: 'The run is not dead, failed or timed out.' });
});

test.each([
  ['POST', '/replay', 'The run is not dead, failed or timed out.'],
  ['DELETE', '', 'The run has not ended.'],
])('%s …%s is refused for a queued run, and not found for an unknown one', async (method, path, detail) => {
  const dead = await deadRun();
  const [waiting = ''] = (await gateway.runs.replay(gateway.user.id, [dead])).values();
  const refused = await gateway.call(method, `/api/v1/runs/${waiting}${path}`);
  expect([refused.status, refused.json]).toEqual([400, { detail }]);
  expect((await gateway.call(method, `/api/v1/runs/${randomUUID()}${path}`)).status).toBe(404);
});

test('keys with the scope manage delete one or all dead runs', async () => {
  const [id] = [await deadRun(), await deadRun()];
  expect((await gateway.call('DELETE', `/api/v1/runs/${id}`)).status).toBe(204);
  expect((await gateway.call('GET', `/api/v1/runs/${id}`)).status).toBe(404);
  expect((await gateway.call('DELETE', '/api/v1/runs')).status).toBe(400);
  expect((await gateway.call('DELETE', '/api/v1/runs?status=running')).status).toBe(422);
  const all = await gateway.call('DELETE', `/api/v1/runs?status=dead&flow_id=${flowId}`);
  expect((all.json as { deleted: number }).deleted).toBeGreaterThan(0);
  const { json } = await gateway.call('GET', '/api/v1/runs?status=dead');
  expect(json).toEqual({ runs: [], next_cursor: null, unrecorded_runs: 0 });
});

test('another user cannot access the runs', async () => {
  const id = await deadRun();
  const made = await gateway.call(
    'POST',
    '/api/v1/users',
    { username: 'stranger' },
    { 'x-api-key': TEST_KEY },
  );
  const stranger = { 'x-api-key': (made.json as { api_key: string }).api_key };
  for (const changes of [undefined, { input_value: 'mine' }])
    expect((await gateway.call('POST', `/api/v1/runs/${id}/replay`, changes, stranger)).status).toBe(404);
  const many = await gateway.call('POST', '/api/v1/runs/replay', { runs: [id] }, stranger);
  expect(many.json).toEqual({ runs: [{ id, replayed_as: null }] });
  expect((await gateway.call('DELETE', '/api/v1/runs?status=dead', undefined, stranger)).json).toEqual({
    deleted: 0,
  });
});
