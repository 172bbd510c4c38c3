import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gatewayForTests } from '../../testing/test-gateway';
import type { Answer } from '../../testing/test-gateway';

const echo = JSON.parse(readFileSync(join(__dirname, '../../../../../examples/echo.json'), 'utf8')) as object;
const UNKNOWN = '00000000-0000-4000-8000-00000000000e';
let mine: string;
let other: string;
let project: string;

const gateway = gatewayForTests({ environment: { MILLRACE_TRUSTED_PROXIES: '127.0.0.1' } });
beforeAll(async () => {
  project = ((await gateway.call('POST', '/api/v1/projects/', { name: 'team' })).json as { id: string }).id;
  mine = await gateway.createFlow({
    ...echo,
    name: 'mine',
    endpoint_name: 'mine',
    folder_id: project,
    mcp_enabled: true,
  });
  other = await gateway.createFlow({ ...echo, name: 'other', endpoint_name: 'other', mcp_enabled: true });
}, 60_000);

async function create(body: object, headers?: Record<string, string>): Promise<{ id: string; key: string }> {
  const answer = await gateway.call('POST', '/api/v1/api_key/', body, headers);
  if (answer.status !== 200) throw new Error(answer.text);
  const { id, api_key: key } = answer.json as { id: string; api_key: string };
  return { id, key };
}

function run(key: string, path: string, body: object = { input_value: 'x' }): Promise<Answer> {
  return gateway.call('POST', path, body, { 'x-api-key': key });
}

test('a key without bounds has the shape of Langflow, and a bounded one shows its bounds', async () => {
  const plain = (await gateway.call('POST', '/api/v1/api_key/', { name: 'plain' })).json as object;
  expect(Object.keys(plain).sort()).toEqual([
    'api_key',
    'expires_at',
    'id',
    'is_active',
    'last_used_at',
    'name',
    'total_uses',
    'user_id',
  ]);
  const bounds = { access: 'run_only', flows: [mine], addresses: ['127.0.0.0/8'] };
  const answer = await gateway.call('POST', '/api/v1/api_key/', { ...bounds, flows: [mine.toUpperCase()] });
  expect(answer.json).toMatchObject({ ...bounds, scopes: ['run'] });
  const { api_keys: keys } = (await gateway.call('GET', '/api/v1/api_key/')).json as {
    api_keys: { id: string }[];
  };
  expect(keys.find(({ id }) => id === (answer.json as { id: string }).id)).toMatchObject(bounds);
});

test.each([
  [{ flows: [UNKNOWN] }, 404, `Flow ${UNKNOWN} not found`],
  [{ projects: [UNKNOWN] }, 404, `Project ${UNKNOWN} not found`],
  [{ flows: [] }, 422, 'flows'],
  [{ flows: ['mine'] }, 422, 'flows'],
  [{ addresses: ['10.0.0.0/33'] }, 400, '10.0.0.0/33'],
  [{ access: 'none' }, 422, 'access'],
] as const)('bounds that are none are refused: %j', async (body, status, text) => {
  const answer = await gateway.call('POST', '/api/v1/api_key/', body);
  expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(text)]);
});

test('a key for a flow has no scope that could change a flow', async () => {
  const answer = await gateway.call('POST', '/api/v1/api_key/', { flows: [mine], scopes: ['run', 'manage'] });
  expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('only have the scope run')]);
  const { id } = await create({ name: 'manages' });
  const changed = await gateway.call('PATCH', `/api/v1/api_key/${id}`, { flows: [mine] });
  expect([changed.status, changed.text]).toEqual([400, expect.stringContaining('only have the scope run')]);
});

describe('a key for one flow', () => {
  let key: string;
  beforeAll(async () => {
    ({ key } = await create({ flows: [mine] }));
  });

  test.each([
    ['its id', () => mine],
    ['its id in upper case', () => mine.toUpperCase()],
    ['its id without hyphens', () => mine.replaceAll('-', '')],
    ['its endpoint name', () => 'mine'],
    ['an encoded endpoint name', () => '%6Dine'],
  ])('runs the flow by %s', async (_what, reference) => {
    expect((await run(key, `/api/v1/run/${reference()}`)).status).toBe(200);
  });

  test.each([
    ['its id', () => other],
    ['its id in upper case', () => other.toUpperCase()],
    ['its id in braces', () => `%7B${other}%7D`],
    ['its id as URN', () => `urn:uuid:${other}`],
    ['its endpoint name', () => 'other'],
    ['an encoded endpoint name', () => '%6Fther'],
  ])('does not know another flow by %s', async (_what, reference) => {
    for (const path of ['/api/v1/run/', '/api/v1/run/advanced/', '/run/'])
      // The last of them takes ids only.
      expect([404, path === '/run/' ? 422 : 404]).toContain((await run(key, path + reference())).status);
    expect((await run(key, '/v1/chat/completions', chat(decodeURIComponent(reference())))).status).toBe(404);
    expect(
      (await run(key, '/api/v1/responses', { model: decodeURIComponent(reference()), input: 'x' })).text,
    ).toContain('flow_not_found');
  });

  test('cannot start another flow, whatever the route is', async () => {
    const before = ((await gateway.call('GET', `/api/v1/runs?flow_id=${other}`)).json as { runs: unknown[] })
      .runs.length;
    await run(key, `/run/${other}`);
    await run(key, '/api/v2/workflows', { flow_id: other, mode: 'background', input_value: 'x' });
    const after = ((await gateway.call('GET', `/api/v1/runs?flow_id=${other}`)).json as { runs: unknown[] })
      .runs.length;
    expect(after).toBe(before);
  });

  test('sees its flow alone as model and as tool, and calls no other tool', async () => {
    const models = (await gateway.call('GET', '/v1/models', undefined, { 'x-api-key': key })).json;
    expect(models).toMatchObject({ data: [{ id: 'mine' }] });
    const tools = async (method: string, params: object = {}) =>
      (
        await gateway.call(
          'POST',
          '/api/v1/mcp/streamable',
          { jsonrpc: '2.0', id: 1, method, params },
          { 'x-api-key': key, accept: 'application/json, text/event-stream' },
        )
      ).text;
    const listed = await tools('tools/list');
    expect(listed).toContain('"mine"');
    expect(listed).not.toContain('other');
    const called = { name: 'other', arguments: { input_value: 'x' } };
    const unknown = await tools('tools/call', { ...called, name: 'nothing' });
    expect((await tools('tools/call', called)).replaceAll('other', 'nothing')).toBe(unknown);
  });

  test('lists runs only of its flow', async () => {
    const list = (query: string) =>
      gateway.call('GET', `/api/v1/runs${query}`, undefined, { 'x-api-key': key });
    expect((await list('')).status).toBe(403);
    expect((await list(`?flow_id=${mine}&flow_id=${other}`)).json).toMatchObject({ runs: [] });
    expect((await list(`?flow_id=${mine}`)).status).toBe(200);
  });

  test('sends no tweaks and names no files of other flows', async () => {
    for (const [path, more] of [
      ['/api/v1/run/mine', {}],
      ['/api/v2/workflows', { flow_id: mine }],
    ] as const) {
      const tweaked = await run(key, path, {
        ...more,
        input_value: 'x',
        tweaks: { any: { path: `${other}/a.txt` } },
      });
      expect([tweaked.status, tweaked.text]).toEqual([403, expect.stringContaining('no tweaks')]);
      expect(
        (await run(key, path, { ...more, input_value: 'x', tweaks: { 'ChatInput-1': {} } })).status,
      ).toBe(200);
    }
    const named = await run(key, '/api/v2/workflows', {
      flow_id: mine,
      input_value: 'x',
      files: [`${other}/a.txt`],
    });
    expect([named.status, named.text]).toEqual([403, expect.stringContaining('files of the flow')]);
  });

  test('knows nothing once its flow is deleted', async () => {
    const flow = await gateway.createFlow({ ...echo, name: 'short', endpoint_name: 'short' });
    const bound = await create({ flows: [flow] });
    expect((await run(bound.key, '/api/v1/run/short')).status).toBe(200);
    await gateway.call('DELETE', `/api/v1/flows/${flow}`);
    for (const reference of ['short', 'mine', other])
      expect((await run(bound.key, `/api/v1/run/${reference}`)).status).toBe(404);
  });
});

test('a key for a project follows the flows that move into it and out of it', async () => {
  const { key } = await create({ projects: [project] });
  const flow = await gateway.createFlow({ ...echo, name: 'moving', endpoint_name: 'moving' });
  const status = async () => (await run(key, '/api/v1/run/moving')).status;
  expect(await status()).toBe(404);
  await gateway.call('PATCH', `/api/v1/flows/${flow}`, { folder_id: project });
  expect(await status()).toBe(200);
  await gateway.call('POST', '/api/v1/projects/', { name: 'takes', flows_list: [flow] });
  expect(await status()).toBe(404);
});

test('a disabled key is refused at once, its streams end, and it can be enabled again', async () => {
  const { id, key } = await create({ name: 'switched' });
  const open = async (path: string, init: RequestInit) => {
    const answer = await fetch(gateway.url + path, init);
    return {
      answer,
      ended: answer.text().then(
        () => 'ended',
        () => 'cut',
      ),
    };
  };
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const answering = gateway.executor.handleJob;
  gateway.executor.handleJob = async ({ events }) => {
    await events([{ event: 'token', data: { chunk: 'x', id: '1' } }]);
  };
  const watching = await open('/api/v1/webhook-events/mine', { headers });
  const running = await open('/api/v1/run/mine?stream=true', { headers, method: 'POST', body: '{}' });
  expect([watching.answer.status, running.answer.status]).toEqual([200, 200]);
  const change = (is_active: boolean) => gateway.call('PATCH', `/api/v1/api_key/${id}`, { is_active });
  await gateway.call('PATCH', `/api/v1/api_key/${id}`, { name: 'renamed' });
  const stays = new Promise((resolve) => setTimeout(resolve, 100, 'open'));
  expect(await Promise.race([watching.ended, running.ended, stays])).toBe('open');
  expect((await change(false)).json).toMatchObject({ is_active: false });
  expect(await watching.ended).toBe('ended');
  expect(await running.ended).toBe('cut');
  gateway.executor.handleJob = answering;
  expect((await gateway.call('GET', '/api/v1/flows/', undefined, headers)).status).toBe(403);
  await change(true);
  expect((await gateway.call('GET', '/api/v1/flows/', undefined, headers)).status).toBe(200);
});

test.each([
  ['203.0.113.7', 200],
  ['203.0.113.7, 127.0.0.1', 200],
  ['::ffff:203.0.113.7', 200],
  ['198.51.100.1', 403],
  ['203.0.113.7, 198.51.100.1', 403],
  ['2002:cb00:7107::', 403],
  ['unknown', 403],
  [undefined, 403],
])(
  'a key for a subnet that a trusted proxy forwards for %s is answered with %d',
  async (forwarded, status) => {
    const { key } = await create({ addresses: ['203.0.113.0/24'] });
    const headers = {
      'x-api-key': key,
      ...(forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }),
    };
    expect((await gateway.call('GET', '/api/v1/flows/', undefined, headers)).status).toBe(status);
  },
);

test('a key makes no key that is wider than itself', async () => {
  const { key } = await create({ addresses: ['127.0.0.1'] });
  const { id: unbound } = await create({ name: 'unbound' });
  const headers = { 'x-api-key': key };
  const made = await gateway.call('POST', '/api/v1/api_key/', { name: 'inherits' }, headers);
  expect(made.json).toMatchObject({ addresses: ['127.0.0.1'] });
  const inherited = (made.json as { id: string }).id;
  for (const [method, path, body] of [
    ['POST', '/api/v1/api_key/', { addresses: ['0.0.0.0/0'] }],
    ['POST', '/api/v1/api_key/', { addresses: null }],
    ['PATCH', `/api/v1/api_key/${inherited}`, { addresses: null }],
    ['POST', `/api/v1/api_key/${unbound}/rotate`, {}],
  ] as const)
    expect([path, (await gateway.call(method, path, body, headers)).status]).toEqual([path, 403]);
  const user = await gateway.call('POST', '/api/v1/users', { username: 'bounded' }, headers);
  const first = {
    'x-api-key': (user.json as { api_key: string }).api_key,
    'x-forwarded-for': '198.51.100.1',
  };
  expect((await gateway.call('GET', '/api/v1/flows/', undefined, first)).status).toBe(403);
  for (const access of ['read_only', 'run_only']) {
    const limited = await create({ access });
    const answer = await gateway.call('POST', '/api/v1/api_key/', {}, { 'x-api-key': limited.key });
    expect(answer.status).toBe(403);
  }
});

test('rotating a bound key keeps its bounds', async () => {
  const { id } = await create({ flows: [mine], access: 'run_only' });
  const rotated = await gateway.call('POST', `/api/v1/api_key/${id}/rotate`);
  expect(rotated.json).toMatchObject({ flows: [mine], access: 'run_only', scopes: ['run'] });
});

function chat(model: string): object {
  return { model, messages: [{ role: 'user', content: 'x' }] };
}
