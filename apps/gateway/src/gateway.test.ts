import { until } from '@millrace/service/testing';
import { fromConsole, signIn } from './testing/console-session';
import { gatewayForTests, TEST_KEY } from './testing/test-gateway';

const gateway = gatewayForTests();

describe('health and version', () => {
  test.each([
    ['/health', { status: 'ok' }],
    ['/healthz', { status: 'ok', chat: 'ok', db: 'ok' }],
    ['/health_check', { status: 'ok', chat: 'ok', db: 'ok' }],
  ])('%s answers without a key', async (path, body) => {
    expect(await gateway.call('GET', path, undefined, { 'x-api-key': '' })).toMatchObject({
      status: 200,
      json: body,
    });
  });

  test('readiness lists its checks', async () => {
    expect((await gateway.call('GET', '/readyz')).json).toEqual({ ready: true, checks: {} });
  });

  test('the version is that of Langflow, next to our own', async () => {
    expect((await gateway.call('GET', '/api/v1/version')).json).toMatchObject({
      version: '1.13.0',
      package: 'Millrace',
    });
    const config = async (key: string) =>
      (await gateway.call('GET', '/api/v1/config', undefined, { 'x-api-key': key })).json;
    expect(await config(TEST_KEY)).toMatchObject({ type: 'full', serialization_max_text_length: 6000 });
    expect((await gateway.call('GET', '/api/v1/monitor/job_queue')).json).toEqual({
      backend: 'postgresql',
      active_jobs: 0,
    });
    for (const key of ['', 'sk-unknown'])
      expect(await config(key)).toMatchObject({ type: 'public', frontend_timeout: 0 });
    expect((await gateway.call('GET', '/api/v1/session')).json).toEqual({
      authenticated: false,
      user: null,
      store_api_key: null,
    });
  });

  test('metrics are text for Prometheus', async () => {
    expect((await gateway.call('GET', '/metrics')).text).toContain('millrace_runs_waiting 0');
  });
});

describe('all answers', () => {
  test('an unknown path is 404, another method 405 with the allowed one, a missing slash 307', async () => {
    expect(await gateway.call('GET', '/api/v1/nothing')).toMatchObject({
      status: 404,
      json: { detail: 'Not Found' },
    });
    const refused = await gateway.call('POST', '/health');
    expect(refused).toMatchObject({ status: 405, json: { detail: 'Method Not Allowed' } });
    expect(refused.headers.get('allow')).toBe('GET');
    const moved = await gateway.call('POST', '/api/v1/run/abc/?stream=true', {});
    expect(moved.status).toBe(307);
    expect(moved.headers.get('location')).toBe('/api/v1/run/abc?stream=true');
    expect((await gateway.call('GET', '/api/v1/run/abc')).headers.get('allow')).toBe('POST');
  });

  test('every answer has a request id, and a valid one of the caller is kept', async () => {
    const own = await gateway.call('GET', '/health', undefined, { 'x-request-id': 'abc-1' });
    expect(own.headers.get('x-request-id')).toBe('abc-1');
    const other = await gateway.call('GET', '/health', undefined, { 'x-request-id': 'not a good one' });
    expect(other.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(other.headers.get('x-powered-by')).toBeNull();
  });

  test('pages of any origin can call', async () => {
    const headers = { origin: 'http://a.example', 'access-control-request-method': 'POST' };
    const preflight = await gateway.call('OPTIONS', '/api/v1/run/x', undefined, headers);
    expect(preflight).toMatchObject({ status: 200, text: 'OK' });
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    expect(preflight.headers.get('access-control-allow-credentials')).toBeNull();
  });

  test('a body that is not JSON gets an error, before the key is checked', async () => {
    const refused = await gateway.call('POST', '/api/v1/run/none', '{"input_value": }', {
      'content-type': 'application/json',
      'x-api-key': '',
    });
    expect(refused).toMatchObject({ status: 422 });
    expect(refused.json).toEqual({
      detail: [{ type: 'json_invalid', loc: ['body', 16], msg: 'JSON decode error' }],
    });
  });

  test.each([
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff]), {}, 400],
    ['a compressed body', Buffer.from('{}'), { 'content-encoding': 'gzip' }, 400],
    ['a body nested too deep', '['.repeat(10_000), {}, 422],
    ['NUL in a text', '{"input_value":"a\\u0000b"}', {}, 422],
  ])('%s is a client error', async (_, body, headers, status) => {
    const refused = await gateway.call('POST', '/api/v1/run/none', body, {
      'content-type': 'application/json',
      ...headers,
    });
    expect(refused.status).toBe(status);
  });

  test('an oversized body is 413, with and without a declared length', async () => {
    const text = 'x'.repeat(11 * 1024 * 1024);
    const refused = await gateway.call('POST', '/api/v1/run/none', text);
    expect(refused).toMatchObject({
      status: 413,
      json: { detail: 'Content size limit exceeded. Maximum allowed is 10MB and got 11MB.' },
    });
  });

  test('an invalid escape or NUL in the path is 400', async () => {
    expect((await gateway.call('GET', '/api/v1/flows/%E0%A4%A')).status).toBe(400);
    expect((await gateway.call('GET', '/api/v1/flows/a%00b')).status).toBe(400);
  });
});

describe('keys', () => {
  const bad = { 'x-api-key': 'sk-wrong' };

  test('the run endpoints and the others have separate error texts', async () => {
    const none = { 'x-api-key': '' };
    const texts = async (headers: Record<string, string>) => [
      (await gateway.call('POST', '/api/v1/run/x', {}, headers)).json,
      (await gateway.call('GET', '/api/v1/flows/', undefined, headers)).json,
    ];
    expect(await texts(none)).toEqual([
      { detail: 'An API key must be passed as query or header' },
      { detail: 'No authentication credentials provided' },
    ]);
    expect(await texts(bad)).toEqual([
      { detail: 'Invalid or missing API key' },
      { detail: 'Invalid API key' },
    ]);
  });

  test('a key in the query takes precedence over the header', async () => {
    expect((await gateway.call('POST', '/api/v1/run/none?x-api-key=sk-wrong', {})).status).toBe(403);
    expect((await gateway.call('POST', `/api/v1/run/none?x-api-key=${TEST_KEY}`, {}, bad)).status).toBe(404);
  });

  test('a bearer token is not a key', async () => {
    const headers = { 'x-api-key': '', authorization: `Bearer ${TEST_KEY}` };
    expect((await gateway.call('POST', '/api/v1/run/none', {}, headers)).status).toBe(403);
    expect(await gateway.call('GET', '/api/v1/flows/', undefined, headers)).toMatchObject({
      status: 401,
      json: { detail: 'Invalid token' },
    });
  });

  test('a key is shown once, works at once, and is invalid at once when it is deleted', async () => {
    const made = (await gateway.call('POST', '/api/v1/api_key/', { name: 'ci' })).json as {
      id: string;
      api_key: string;
    };
    expect(made).toEqual({
      name: 'ci',
      last_used_at: null,
      total_uses: 0,
      is_active: true,
      expires_at: null,
      id: expect.any(String),
      api_key: expect.stringMatching(/^sk-[\w-]{43}$/),
      user_id: gateway.user.id,
    });
    const own = { 'x-api-key': made.api_key };
    expect((await gateway.call('GET', '/api/v1/flows/', undefined, own)).status).toBe(200);
    const list = (await gateway.call('GET', '/api/v1/api_key/')).text;
    expect(list).not.toContain(made.api_key);
    expect(list).toContain(`"${made.api_key.slice(0, 8)}${'*'.repeat(38)}"`);
    expect((await gateway.call('DELETE', `/api/v1/api_key/${made.id}`)).json).toEqual({
      detail: 'API Key deleted',
    });
    expect((await gateway.call('GET', '/api/v1/flows/', undefined, own)).status).toBe(403);
    expect(await gateway.call('DELETE', `/api/v1/api_key/${made.id}`)).toMatchObject({
      status: 400,
      json: { detail: 'API Key not found' },
    });
  });

  test('a key is replaced by one with its name and scopes, and both are valid until the old one expires', async () => {
    const made = (await gateway.call('POST', '/api/v1/api_key/', { name: 'ci', scopes: ['run'] })).json as {
      id: string;
      api_key: string;
    };
    const path = `/api/v1/api_key/${made.id}/rotate`;
    const rotated = (await gateway.call('POST', path, { overlap_seconds: 3600 })).json as {
      api_key: string;
      replaces: { expires_at: string };
    };
    expect(rotated).toMatchObject({
      name: 'ci',
      scopes: ['run'],
      expires_at: null,
      replaces: { id: made.id },
    });
    const left = Date.parse(rotated.replaces.expires_at) - Date.now();
    expect(left).toBeGreaterThan(3_000_000);
    expect(left).toBeLessThan(4_000_000);
    for (const key of [made.api_key, rotated.api_key])
      expect((await gateway.call('GET', '/api/v1/runs', undefined, { 'x-api-key': key })).status).toBe(200);
    // A second rotation does not prolong the first key.
    const again = await gateway.call('POST', path, { overlap_seconds: 86_400 });
    expect(again.json).toMatchObject({ replaces: rotated.replaces });
    for (const overlap_seconds of [-1, 2_592_001, 'day'])
      expect((await gateway.call('POST', path, { overlap_seconds })).status).toBe(422);
    const manager = (await gateway.call('POST', '/api/v1/api_key/', { scopes: ['manage'] })).json as {
      api_key: string;
    };
    expect(await gateway.call('POST', path, {}, { 'x-api-key': manager.api_key })).toMatchObject({
      status: 403,
    });
  });

  test('a rotation without an overlap ends the old key at once, with its sessions of the console', async () => {
    const made = (await gateway.call('POST', '/api/v1/api_key/', { name: 'leaked' })).json as {
      id: string;
      api_key: string;
    };
    const { cookie } = await signIn(gateway, made.api_key);
    const session = { ...fromConsole, cookie };
    const statuses = async () => [
      (await gateway.call('GET', '/api/v1/runs', undefined, { 'x-api-key': made.api_key })).status,
      (await gateway.call('GET', '/api/v1/runs', undefined, session)).status,
    ];
    expect(await statuses()).toEqual([200, 200]);
    const path = `/api/v1/api_key/${made.id}/rotate`;
    const { json } = await gateway.call('POST', path, { overlap_seconds: 0 });
    expect(await statuses()).toEqual([403, 401]);
    const rotated = { 'x-api-key': (json as { api_key: string }).api_key };
    expect((await gateway.call('GET', '/api/v1/runs', undefined, rotated)).status).toBe(200);
  });

  test('an expired key is refused, and so is an invalid date', async () => {
    const body = { name: 'old', expires_at: '2020-01-01T00:00:00' };
    const made = (await gateway.call('POST', '/api/v1/api_key/', body)).json as {
      api_key: string;
      expires_at: string;
    };
    expect(made.expires_at).toBe('2020-01-01T00:00:00+00:00');
    expect((await gateway.call('POST', '/api/v1/run/x', {}, { 'x-api-key': made.api_key })).status).toBe(403);
    const refused = await gateway.call('POST', '/api/v1/api_key/', { name: 'x', expires_at: 'soon' });
    expect(refused).toMatchObject({
      status: 422,
      json: { detail: [{ type: 'datetime_from_date_parsing', loc: ['body', 'expires_at'] }] },
    });
  });

  test('scopes limit what a key can do, and a key cannot grant more than it has', async () => {
    const made = (await gateway.call('POST', '/api/v1/api_key/', { name: 'runner', scopes: ['run'] }))
      .json as { api_key: string };
    const runner = { 'x-api-key': made.api_key };
    expect((await gateway.call('GET', '/api/v1/flows/', undefined, runner)).status).toBe(403);
    expect((await gateway.call('POST', '/api/v1/users', { username: 'x' }, runner)).status).toBe(403);
    expect((await gateway.call('GET', '/api/v1/runs', undefined, runner)).status).toBe(200);
    const manager = (await gateway.call('POST', '/api/v1/api_key/', { scopes: ['manage'] })).json as {
      api_key: string;
    };
    const wider = await gateway.call(
      'POST',
      '/api/v1/api_key/',
      { scopes: ['run'] },
      { 'x-api-key': manager.api_key },
    );
    expect(wider.status).toBe(403);
  });

  test('uses are counted', async () => {
    const made = (await gateway.call('POST', '/api/v1/api_key/', { name: 'counted' })).json as {
      id: string;
      api_key: string;
    };
    for (let use = 0; use < 3; use += 1) {
      await gateway.call('POST', '/api/v1/run/none', {}, { 'x-api-key': made.api_key });
    }
    const uses = async () => {
      const keys = await gateway.apiKeys.list(gateway.user.id);
      return keys.find(({ id }) => id === made.id)?.totalUses;
    };
    await until(async () => (await uses()) === 3);
  });

  test('admins create users, each with a first key; a user sees nothing of another', async () => {
    const made = (await gateway.call('POST', '/api/v1/users', { username: 'second' })).json as {
      api_key: string;
    };
    const second = { 'x-api-key': made.api_key };
    expect((await gateway.call('GET', '/api/v1/users/whoami', undefined, second)).json).toMatchObject({
      username: 'second',
      is_superuser: false,
    });
    expect((await gateway.call('POST', '/api/v1/users', { username: 'third' }, second)).status).toBe(403);
    expect((await gateway.call('POST', '/api/v1/users', { username: 'second' })).status).toBe(400);
    const id = await gateway.createFlow({
      name: 'private',
      endpoint_name: 'private',
      data: { nodes: [], edges: [] },
    });
    const unknown = '00000000-0000-4000-8000-00000000000a';
    for (const [method, path] of [
      ['GET', '/api/v1/flows/'],
      ['DELETE', '/api/v1/flows/'],
    ] as const) {
      const foreign = await gateway.call(method, path + id, undefined, second);
      expect(foreign).toMatchObject({
        status: 404,
        text: (await gateway.call(method, path + unknown, undefined, second)).text,
      });
    }
    expect((await gateway.call('PATCH', `/api/v1/flows/${id}`, { name: 'mine' }, second)).status).toBe(404);
    expect((await gateway.call('POST', `/api/v1/run/${id}`, {}, second)).status).toBe(404);
    expect((await gateway.call('POST', '/api/v1/run/private', {}, second)).status).toBe(404);
  });
});

test('editors get empty answers about a flow without vertex records', async () => {
  const flow = 'flow_id=00000000-0000-4000-8000-000000000001';
  expect((await gateway.call('GET', `/api/v1/monitor/builds?${flow}`)).json).toEqual({ vertex_builds: {} });
  expect((await gateway.call('DELETE', `/api/v1/monitor/builds?${flow}`)).status).toBe(204);
  expect((await gateway.call('GET', `/api/v1/monitor/transactions?${flow}&page=2&size=7`)).json).toEqual({
    items: [],
    total: 0,
    page: 2,
    size: 7,
    pages: 0,
  });
  expect((await gateway.call('GET', '/api/v1/monitor/builds')).status).toBe(422);
});
