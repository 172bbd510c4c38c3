import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { until } from '@millrace/service/testing';
import { message, rpc, rpcOf } from '../../testing/agent-calls';
import { readEvents } from '../../testing/read-events';
import { gatewayForTests } from '../../testing/test-gateway';
import type { Answer } from '../../testing/test-gateway';

const echo = JSON.parse(readFileSync(join(__dirname, '../../../../../examples/echo.json'), 'utf8')) as object;
const MESSAGES = '/api/v1/monitor/messages';
const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

let flowId: string;
/** The headers of the key of an application. */
let application: Readonly<Record<string, string>>;
const gateway = gatewayForTests();
beforeAll(async () => {
  flowId = await gateway.createFlow({
    ...echo,
    endpoint_name: 'talk',
    mcp_enabled: true,
    action_name: 'talk_tool',
  });
  await gateway.call('PATCH', `/api/v1/flows/${flowId}`, { flow_type: 'agent', a2a_enabled: true });
  const { json } = await gateway.call('POST', '/api/v1/api_key/', { name: 'app', end_users: 'header' });
  expect(json).toMatchObject({ end_users: 'header', scopes: ['run'] });
  application = { 'x-api-key': (json as { api_key: string }).api_key };
}, 60_000);

/** With null, the key of the owner is used. */
const as = (endUser: string | null) => (endUser === null ? {} : { ...application, 'x-end-user-id': endUser });
const send = (endUser: string | null, method: string, path: string, body?: unknown, headers = {}) =>
  gateway.call(method, path, body, { ...as(endUser), ...headers });
const run = (endUser: string | null, session?: string, headers = {}) =>
  send(endUser, 'POST', '/api/v1/run/talk', { input_value: 'hi', session_id: session }, headers);
const sessionIn = ({ json }: Answer) => (json as { session_id: string }).session_id;
const sessionsOf = async (endUser: string): Promise<readonly string[]> =>
  (await gateway.call('GET', `${MESSAGES}/sessions?end_user_id=${endUser}`)).json;

test('each end user has sessions of their own, which begin with their id', async () => {
  expect(sessionIn(await run('ann', 's1'))).toBe('ann::s1');
  expect(sessionIn(await run('bob', 's1'))).toBe('bob::s1');
  expect(sessionIn(await run('ann', 'ann::s1'))).toBe('ann::s1');
  expect(sessionIn(await run('ann', 'bob::s1'))).toBe('ann::bob::s1');
  const own = new RegExp(`^ann::${UUID}$`);
  const [first, second] = [sessionIn(await run('ann')), sessionIn(await run('ann'))];
  expect([first, second]).toEqual([expect.stringMatching(own), expect.stringMatching(own)]);
  expect(first).not.toBe(second);
});

test('the header makes no difference to other keys', async () => {
  const answer = await send(
    null,
    'POST',
    '/api/v1/run/talk',
    { session_id: 'ann::s1' },
    {
      'x-end-user-id': 'bob:: x',
    },
  );
  expect([answer.status, sessionIn(answer)]).toEqual([200, 'ann::s1']);
  expect(sessionIn(await run(null))).toBe(flowId);
});

test('without an end user the key is refused, as in Langflow', async () => {
  const withoutName = (path: string, body: unknown, endUser = '') =>
    gateway.call('POST', path, body, { ...application, 'x-end-user-id': endUser });
  for (const answer of [
    await gateway.call('POST', '/api/v1/run/talk', {}, application),
    await withoutName('/api/v1/run/talk?stream=true', {}),
    await withoutName('/api/v1/run/talk', {}, '  '),
  ])
    expect([answer.status, answer.json]).toEqual([
      401,
      {
        detail: {
          error: 'End-user identity required',
          code: 'END_USER_IDENTITY_REQUIRED',
          message: 'This API key acts for end users, but the header x-end-user-id is missing.',
        },
      },
    ]);
  const body = { model: 'talk', messages: [{ role: 'user', content: 'hi' }] };
  const completion = await withoutName('/v1/chat/completions', body);
  expect([completion.status, completion.json]).toMatchObject([
    401,
    { error: { code: 'end_user_missing', message: expect.stringContaining('x-end-user-id') as string } },
  ]);
  await gateway.refusedSignIns.flush();
  const { text } = await gateway.call('GET', '/api/v1/audit?action=sign_in.refused');
  expect(text).toContain('end_user_missing');
});

test.each([
  ['GET', '/api/v1/runs'],
  ['GET', '/api/v1/conversations'],
  ['GET', '/api/v1/pending'],
  ['GET', '/api/v1/usage'],
])('%s %s, which is about more than one end user, refuses the key', async (method, path) => {
  const answer = await send('ann', method, path);
  expect([answer.status, answer.headers.get('x-error-code')]).toEqual([403, 'permission_denied']);
});

test('a key with other scopes cannot act for end users', async () => {
  const body = { end_users: 'header', scopes: ['run', 'manage'] };
  expect((await gateway.call('POST', '/api/v1/api_key/', body)).status).toBe(400);
  const made = await gateway.call('POST', '/api/v1/api_key/', { scopes: ['run'] });
  const path = `/api/v1/api_key/${(made.json as { id: string }).id}`;
  expect((await gateway.call('PATCH', path, { end_users: 'token' })).json).toMatchObject({
    end_users: 'token',
  });
  expect((await gateway.call('PATCH', path, { end_users: null })).json).not.toHaveProperty('end_users');
  const { text } = await gateway.call('GET', '/api/v1/audit?action=key.updated');
  expect(text).toContain('"end_users":"token"');
});

test.each<[string, (endUser: string) => Promise<unknown>]>([
  ['an advanced run', (of) => send(of, 'POST', '/api/v1/run/advanced/talk', { session_id: 't' })],
  ['a run by id', (of) => send(of, 'POST', `/run/${flowId}`, { session_id: 't' })],
  [
    'a workflow',
    async (of) => {
      const body = { flow_id: flowId, input_value: 'hi', session_id: 't' };
      const answer = await send(of, 'POST', '/api/v2/workflows', body);
      expect(sessionIn(answer)).toBe(`${of}::t`);
    },
  ],
  [
    'a completion',
    (of) => {
      const body = { model: 'talk', messages: [{ role: 'user', content: 'hi' }], session_id: 't' };
      return send(of, 'POST', '/v1/chat/completions', body);
    },
  ],
  [
    'a response',
    async (of) => {
      const body = { model: 'talk', input: 'hi', previous_response_id: 't' };
      const answer = await send(of, 'POST', '/api/v1/responses', body);
      expect(answer.json).toMatchObject({ id: 't' });
    },
  ],
  [
    'an agent of AG-UI',
    async (of) => {
      const answer = await fetch(`${gateway.url}/api/v1/agui/talk`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...as(of) },
        body: JSON.stringify({
          threadId: 't',
          runId: randomUUID(),
          messages: [{ id: '1', role: 'user', content: 'hi' }],
        }),
      });
      const events: unknown[] = [];
      for await (const event of readEvents(answer)) events.push(event);
      expect(events[0]).toMatchObject({ type: 'RUN_STARTED', threadId: 't' });
    },
  ],
  [
    'a tool',
    (of) => {
      const call = { name: 'talk_tool', arguments: { input_value: 'hi', session_id: 't' } };
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call };
      const accept = 'application/json, text/event-stream';
      return send(of, 'POST', '/api/v1/mcp/streamable', body, { accept });
    },
  ],
])('%s is in a session of the end user', async (what, start) => {
  const endUser = what.replaceAll(' ', '-');
  await start(endUser);
  expect(await sessionsOf(endUser)).toEqual([`${endUser}::t`]);
});

test('a tool that is called over server-sent events is in a session of the end user of the stream', async () => {
  const open = async (headers: Record<string, string>) => {
    const url = `${gateway.url}/api/v1/mcp/sse`;
    return fetch(url, { headers: { ...application, ...headers } });
  };
  expect((await open({})).status).toBe(401);
  const stream = await open({ 'x-end-user-id': 'streamer' });
  const reader = stream.body?.getReader();
  const first = new TextDecoder().decode((await reader?.read())?.value as Uint8Array);
  const path = /^data: (\S+)$/m.exec(first)?.[1] ?? '';
  const call = { name: 'talk_tool', arguments: { input_value: 'hi', session_id: 't' } };
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call };
  expect((await gateway.call('POST', path, body, application)).status).toBe(202);
  await until(async () => (await sessionsOf('streamer')).length > 0);
  expect(await sessionsOf('streamer')).toEqual(['streamer::t']);
  await reader?.cancel();
});

test('a conversation of A2A is in a session of the end user, whose tasks no other reads', async () => {
  const post = (endUser: string, method: string, params: unknown) =>
    send(endUser, 'POST', rpcOf(flowId), rpc(method, params));
  const sent = await post('agent', 'message/send', message({ contextId: 'c' }));
  const { result } = sent.json as { result: { id: string } };
  expect(result).toMatchObject({ contextId: 'c' });
  expect(await sessionsOf('agent')).toEqual([expect.stringMatching(new RegExp(`^agent::${UUID}:c$`))]);
  const { id } = result;
  expect((await post('agent', 'tasks/get', { id })).json).toMatchObject({ result: { id } });
  expect((await post('other', 'tasks/get', { id })).json).toMatchObject({ error: { code: -32_001 } });
});

test.each([
  ['a separator', 'ann::s1'],
  ['a colon at the end, which would make other sessions', 'ann:'],
  ['more than 200 characters', 'a'.repeat(201)],
  ['a space', 'ann smith'],
  ['a tab', 'ann\tsmith'],
  ['a letter that is not ASCII', 'Jos\u00e9'],
  ['the bytes of an invisible character', Buffer.from('ann\u200b').toString('latin1')],
])('an id with %s is refused', async (_what, endUser) => {
  const answer = await run(endUser, 's1');
  expect(answer.status).toBe(400);
  expect(answer.headers.get('x-error-code')).toBe('end_user_invalid');
  expect(answer.text).toContain('1 to 200 visible ASCII characters');
});

test('an id of 200 characters, and one with colons, are taken', async () => {
  for (const endUser of ['a'.repeat(200), 'urn:ann', ':ann'])
    expect(sessionIn(await run(endUser, 's'))).toBe(`${endUser}::s`);
});

test('a repeated header is refused', async () => {
  const status = await new Promise((resolve, reject) => {
    const sent = request(`${gateway.url}/api/v1/run/talk`, {
      method: 'POST',
      headers: { ...application, 'x-end-user-id': ['ann', 'bob'] },
    });
    sent.on('response', (answer) => resolve(answer.resume().statusCode)).on('error', reject);
    sent.end('{}');
  });
  expect(status).toBe(400);
});

test('messages and sessions are read for an end user, by the header or by the query', async () => {
  await run('eve', 's1');
  await run('eve2', 's1');
  for (const answer of [
    await gateway.call('GET', `${MESSAGES}?end_user_id=eve`),
    await send('eve', 'GET', MESSAGES),
    await send('eve', 'GET', `${MESSAGES}?end_user_id=eve2`),
  ])
    expect((answer.json as { session_id: string }[]).map((row) => row.session_id)).toEqual([
      'eve::s1',
      'eve::s1',
    ]);
  expect((await send('eve', 'GET', `${MESSAGES}/sessions`)).json).toEqual(['eve::s1']);
});

test('a run is only found by its end user, and by the other keys of the owner', async () => {
  const runId = (await run('owner', 's1')).headers.get('x-run-id') ?? '';
  const paths = [
    `/api/v1/runs/${runId}`,
    `/api/v1/runs/${runId}/request`,
    `/api/v2/workflows?job_id=${runId}`,
  ];
  for (const path of paths) {
    const unknown = await send('stranger', 'GET', path.replace(runId, randomUUID()));
    expect(unknown.status).toBe(404);
    expect((await send('stranger', 'GET', path)).status).toBe(404);
    expect((await send('owner', 'GET', path)).status).not.toBe(404);
    expect((await send(null, 'GET', path)).status).not.toBe(404);
  }
  const own = (await run('stranger', 's1')).headers.get('x-run-id') ?? '';
  for (const ids of [`job_id=${runId}&job_id=${own}`, `job_id=${own}&job_id=${runId}`])
    expect((await send('stranger', 'GET', `/api/v2/workflows?${ids}`)).status).toBe(404);
  const stop = (endUser: string) => send(endUser, 'POST', '/api/v2/workflows/stop', { job_id: runId });
  expect([(await stop('stranger')).status, (await stop('owner')).status]).toEqual([404, 200]);
  expect((await send('stranger', 'POST', `/api/v1/runs/${runId}/replay`)).status).toBe(404);
  const replay = { session_id: 'stranger::s1' };
  const replayed = await send('owner', 'POST', `/api/v1/runs/${runId}/replay`, replay);
  const { runs } = replayed.json as { runs: { replayed_as: string }[] };
  expect((await gateway.runs.find(gateway.user.id, runs[0]?.replayed_as ?? ''))?.sessionId).toBe(
    'owner::stranger::s1',
  );
});

test('an idempotency key of one end user does not find the run of another', async () => {
  const ids = new Set<string | null>();
  const workflow = { flow_id: flowId, mode: 'background', input_value: 'hi', idempotency_key: 'once' };
  for (const endUser of ['kim', 'kim', 'lee', null]) {
    const first = await run(endUser, undefined, { 'idempotency-key': 'once' });
    const second = await send(endUser, 'POST', '/api/v2/workflows', workflow);
    for (const answer of [first, second]) {
      expect(answer.status).toBe(200);
      ids.add(answer.headers.get('x-run-id'));
    }
  }
  expect(ids.size).toBe(6);
});

test('each end user has the limits that the key has for them', async () => {
  const made = await gateway.call('POST', '/api/v1/api_key/', { end_users: 'header' });
  const { id, api_key: key } = made.json as { id: string; api_key: string };
  const path = `/api/v1/limits/api_key/${id}`;
  const limit = async (body: object) => {
    const answer = await gateway.call('PUT', path, body);
    expect([answer.status, answer.json]).toMatchObject([200, body]);
  };
  const start = (endUser: string) =>
    gateway.call(
      'POST',
      '/api/v1/run/talk',
      { input_value: 'hi' },
      { 'x-api-key': key, 'x-end-user-id': endUser },
    );
  await limit({ end_user_requests_per_second: 0.1 });
  const answers = [await start('many'), await start('many'), await start('few')];
  expect(answers.map(({ status }) => status)).toEqual([200, 429, 200]);
  expect(answers[1]?.text).toContain('the limit of this end user is 0.1 per second');
  expect(answers[2]?.headers.get('ratelimit')).toContain('"end_user";r=0');
  await limit({ end_user_requests_per_second: null, end_user_concurrent_runs: 1 });
  const held: (() => Promise<void>)[] = [];
  gateway.executor.handleJob = async ({ final }) => {
    held.push(() => final('succeeded', { session_id: 's', outputs: [] }));
  };
  const [first, other] = [start('many'), start('few')];
  await until(() => held.length === 2);
  const refused = await start('many');
  expect([refused.status, refused.headers.get('x-error-code')]).toEqual([429, 'too_many_callers']);
  await Promise.all(held.map((end) => end()));
  gateway.executor.handleJob = null;
  expect([(await first).status, (await other).status]).toEqual([200, 200]);
  await until(async () => (await start('many')).status === 200);
});

test('all that is stored of an end user is erased', async () => {
  const runId = (await run('leaver', 's1')).headers.get('x-run-id') ?? '';
  await run('leaver', 's2');
  await run('stays', 's1');
  const { json } = await gateway.call('POST', '/api/v1/erasures', { end_user_id: 'leaver' });
  expect(json).toEqual({ sessions: 2, messages: 4, runs: 2, runs_in_progress: 0, complete: true });
  expect(await gateway.runs.find(gateway.user.id, runId)).toBeNull();
  expect([await sessionsOf('leaver'), await sessionsOf('stays')]).toEqual([[], ['stays::s1']]);
  const { text } = await gateway.call('GET', '/api/v1/audit?action=session.erased');
  expect(text).toContain('"by":"end_user"');
  expect(text).not.toContain('leaver');
});

test('what is measured does not have the id of an end user', async () => {
  await run('measured-user', 's1');
  await run('measured user', 's1');
  expect(await gateway.metrics.prometheusText()).not.toContain('measured');
});
