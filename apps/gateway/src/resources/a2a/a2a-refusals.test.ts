import { AgentCalls, message, rpc, rpcOf } from '../../testing/agent-calls';
import type { Json } from '../../testing/agent-calls';

let agents: AgentCalls;
beforeAll(async () => {
  agents = await AgentCalls.open();
}, 60_000);
afterAll(() => agents.gateway.close());

/** A body, the id of its answer, and the place of the error. */
type InvalidCase = readonly [body: Json, id: number | null, place: string];

describe('a request that is not valid', () => {
  const info = (parseError: boolean) => [
    {
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason: 'INVALID_REQUEST',
      domain: 'a2a-protocol.org',
      metadata: parseError ? { parseError: expect.any(String) } : {},
    },
  ];
  const get = { jsonrpc: '2.0', id: 1, method: 'tasks/get', params: { id: 'x' } };

  test.each([
    ['{oops', null, -32_700, undefined],
    ['', null, -32_700, undefined],
    ['[]', null, -32_600, true],
    [JSON.stringify([get]), null, -32_600, false],
    ['null', null, -32_600, true],
    ['5', null, -32_600, true],
    ['{}', null, -32_600, true],
    [JSON.stringify({ ...get, jsonrpc: undefined }), 1, -32_600, true],
    [JSON.stringify({ ...get, jsonrpc: '1.0' }), 1, -32_600, false],
    [JSON.stringify({ ...get, id: true }), null, -32_600, false],
    [JSON.stringify({ ...get, id: 1.5 }), null, -32_600, true],
    [JSON.stringify({ ...get, id: {} }), null, -32_600, true],
    [JSON.stringify({ ...get, method: undefined }), 1, -32_600, true],
    [JSON.stringify({ ...get, method: '' }), 1, -32_600, false],
    [JSON.stringify({ ...get, method: 5 }), 1, -32_600, true],
    [JSON.stringify({ ...get, method: 'rpc.x' }), 1, -32_600, true],
    [JSON.stringify({ ...get, params: 'x' }), 1, -32_600, true],
    [JSON.stringify({ ...get, more: 2 }), 1, -32_600, true],
    [JSON.stringify({ ...get, method: 'tasks/list' }), 1, -32_601, undefined],
  ])('%s is answered with the id %j and the error %i', async (body, id, code, hasReason) => {
    const answer = await agents.gateway.fetch(agents.gateway.url + rpcOf(agents.owner.ids.flow), {
      method: 'POST',
      headers: { 'x-api-key': agents.owner.key, 'content-type': 'application/json' },
      body,
    });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({
      jsonrpc: '2.0',
      id,
      error: {
        code,
        message: expect.any(String),
        ...(hasReason === undefined ? {} : { data: info(hasReason) }),
      },
    });
  });

  test.each<InvalidCase>([
    [{ ...get, id: undefined }, null, 'id'],
    [{ ...get, id: null }, null, 'id'],
    [{ ...get, params: undefined }, 1, 'params'],
    [{ ...get, params: null }, 1, 'params'],
    [{ ...get, params: ['x'] }, 1, 'params'],
    [{ ...get, params: {} }, 1, 'params.id'],
    [{ ...get, params: { id: 5 } }, 1, 'params.id'],
    [{ ...get, method: 'tasks/cancel', params: {} }, 1, 'params.id'],
    ...(
      [
        [{}, 'params.message'],
        [{ message: 'x' }, 'params.message'],
        [message({ kind: 'task' }), 'params.message.kind'],
        [message({ messageId: 5 }), 'params.message.messageId'],
        [message({ role: 'robot' }), 'params.message.role'],
        [message({ parts: null }), 'params.message.parts'],
        [message({ parts: [{ kind: 'x', text: 'x' }] }), 'params.message.parts.0'],
        [message({ parts: [{ kind: 'text' }] }), 'params.message.parts.0'],
        [message({ parts: [{ kind: 'data', data: [1] }] }), 'params.message.parts.0'],
        [message({ parts: [{ kind: 'file', file: {} }] }), 'params.message.parts.0'],
        [message({ contextId: 4 }), 'params.message.contextId'],
        [message({ metadata: 'x' }), 'params.message.metadata'],
        [{ ...message(), configuration: 'x' }, 'params.configuration'],
        [{ ...message(), configuration: { blocking: 'x' } }, 'params.configuration.blocking'],
        [
          { ...message(), configuration: { acceptedOutputModes: 'x' } },
          'params.configuration.acceptedOutputModes',
        ],
      ] as const
    ).map(([params, place]): InvalidCase => [{ ...get, method: 'message/send', params }, 1, place]),
  ])('%j is answered with the id %j and the place %s', async (body, id, place) => {
    const { error, ...rest } = (await agents.post(body)).json as { error: { code: number; data: string } };
    expect(rest).toEqual({ jsonrpc: '2.0', id });
    expect(error).toEqual({ code: -32_600, message: 'Invalid Request', data: expect.any(String) });
    expect(error.data.startsWith(`${place}: `)).toBe(true);
  });

  test.each([
    ['message/send', message({ parts: [] }), -32_602, 'Validation failed'],
    ['message/send', message({ messageId: '' }), -32_602, 'Validation failed'],
    ['message/send', { ...message(), configuration: { historyLength: -1 } }, -32_602, /non-negative/],
    ['tasks/get', { id: 'x', historyLength: -1 }, -32_602, 'history length must be non-negative'],
    ['message/send', message({ contextId: 'c'.repeat(501) }), -32_602, /longer than 500/],
    ['message/send', message({ parts: [{ kind: 'file', file: { uri: 'https://x' } }] }), -32_005, /file/],
    ['message/send', { ...message(), configuration: { pushNotificationConfig: {} } }, -32_003, /Push/],
    ['tasks/pushNotificationConfig/set', {}, -32_003, 'Push Notification is not supported'],
    ['agent/getAuthenticatedExtendedCard', {}, -32_004, /extended cards/],
  ])('%s of %j is refused with %i', async (method, params, code, text) => {
    const [seen, reason] = await agents.errorOf(method, params);
    expect(seen).toBe(code);
    expect(reason).toMatch(text);
  });

  test.each(['1.0', '9.0', 'x'])('the version %j of the protocol is refused', async (version) => {
    const answer = await agents.post(get, { 'a2a-version': version });
    expect(answer.json).toMatchObject({ error: { code: -32_009, data: null } });
    expect((await agents.post(get, { 'a2a-version': '0.3.0' })).json).toMatchObject({
      error: { code: -32_001 },
    });
  });

  test('a body above the limits is refused', async () => {
    const many = message({ metadata: Object.fromEntries(Array.from({ length: 200_000 }, (_, n) => [n, 1])) });
    expect((await agents.post(rpc('message/send', many))).status).toBe(413);
  });
});

test('a flow without data has no tasks', async () => {
  const body = { name: 'empty', flow_type: 'agent', a2a_enabled: true };
  const id = await agents.createFlow(body);
  expect((await agents.post(rpc('message/send', message()), {}, id)).json).toMatchObject({
    error: { code: -32_603, message: 'The flow has no data' },
  });
  await agents.owner.call('DELETE', `/api/v1/flows/${id}`);
});
