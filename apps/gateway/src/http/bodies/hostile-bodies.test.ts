import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { OpenApiDocument } from '../../openapi/openapi-document';
import { makeTenant } from '../../testing/tenant';
import type { Tenant } from '../../testing/tenant';
import { gatewayForTests } from '../../testing/test-gateway';
import type { Answer } from '../../testing/test-gateway';

const MEBIBYTE = 1024 * 1024;
const ID = '00000000-0000-4000-8000-00000000000e';
/** Far above the memory for one body at its limit, far below that for a bomb. */
const MAXIMUM_MEMORY_BYTES = 120 * MEBIBYTE;
let tenant: Tenant;
const gateway = gatewayForTests({ environment: { MILLRACE_MAXIMUM_BODY_BYTES: String(MEBIBYTE) } });
beforeAll(async () => {
  tenant = await makeTenant(gateway, 'tenant');
}, 60_000);

const json = { 'content-type': 'application/json' };
const nested = (depth: number) => `{"input_value":${'['.repeat(depth)}${']'.repeat(depth)}}`;
const bomb = gzipSync(Buffer.alloc(200 * MEBIBYTE), { level: 1 });
const post = (path: string, body: unknown, headers: Record<string, string> = json) =>
  gateway.call('POST', path, body, { 'x-api-key': tenant.key, ...headers });

/** Routes that read JSON, by purpose. */
const readers = [
  '/api/v1/run/tenant-flow',
  '/api/v1/run/advanced/tenant-flow',
  '/api/v1/flows/',
  '/api/v2/workflows',
];

test('a flow without edges is refused, however many nodes it has', async () => {
  const nodes = Array.from({ length: 200_000 }, () => 0);
  const { status, json: items } = await post(
    '/api/v1/flows/',
    JSON.stringify({ name: 'x', data: { nodes } }),
  );
  const item = { type: 'value_error', loc: ['body', 'data'], msg: 'Value error, Flow must have edges' };
  // As in Langflow, twice.
  expect([status, items]).toMatchObject([422, { detail: [item, item] }]);
});

describe.each(readers)('S5: POST %s refuses', (path) => {
  test.each([
    ['65 levels', nested(64), {}, 422, 'invalid_json'],
    ['10,000 levels', nested(10_000), {}, 422, 'invalid_json'],
    ['500,000 levels', '['.repeat(500_000), {}, 422, 'invalid_json'],
    ['a byte more than the limit', 'x'.repeat(MEBIBYTE + 1), {}, 413, 'body_too_large'],
    ['a gzip bomb', bomb, { 'content-encoding': 'gzip' }, 400, 'undecodable_body'],
    ['a bomb in a bomb', gzipSync(bomb), { 'content-encoding': 'gzip, gzip' }, 400, 'undecodable_body'],
    ['brotli', brotliCompressSync('{}'), { 'content-encoding': 'br' }, 400, 'undecodable_body'],
    ['bytes that are not UTF-8', Buffer.from('7b22c328223a317d', 'hex'), {}, 400, 'undecodable_body'],
    ['an overlong NUL', Buffer.from('7b2261223a22c080227d', 'hex'), {}, 400, 'undecodable_body'],
    ['half a character of UTF-16', Buffer.from('7b007d0020', 'hex'), {}, 400, 'undecodable_body'],
    ['NUL in a text', '{"input_value":"a\\u0000"}', {}, 422, 'invalid_json'],
    ['NUL in a name', '{"a\\u0000":1}', {}, 422, 'invalid_json'],
    ['half a surrogate pair', '{"input_value":"a\\ud800b"}', {}, 422, 'invalid_json'],
    ['half a surrogate pair in a name', '{"\\udfff":1}', {}, 422, 'invalid_json'],
    ['two byte order marks', '\ufeff\ufeff{}', {}, 422, 'invalid_json'],
    ['a byte order mark alone', '\ufeff', {}, 422, 'invalid_json'],
    ['two values', '{} {}', {}, 422, 'invalid_json'],
    ['a comment', '{}//', {}, 422, 'invalid_json'],
  ])('%s', async (_what, body, headers, status, code) => {
    const before = process.memoryUsage.rss();
    const refused = await post(path, body, { ...json, ...headers });
    expect([refused.status, refused.headers.get('x-error-code')]).toEqual([status, code]);
    expect(process.memoryUsage.rss() - before).toBeLessThan(MAXIMUM_MEMORY_BYTES);
  });
});

test.each(readers)('POST %s reads the same JSON as Python', async (path) => {
  const text = JSON.stringify({ input_value: 'grün 😀', name: `n${path}`, flow_id: tenant.ids.flow });
  const [plain = 0, ...others] = await Promise.all(
    [
      Buffer.from(text),
      Buffer.from(`\ufeff${text}`),
      Buffer.from(text, 'utf16le'),
      Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
      Buffer.from(text.replace(/}$/, ',"tweaks":{"a":{"b":[NaN,-Infinity]}}}')),
    ].map(async (body) => (await post(path, body)).status),
  );
  expect(plain).toBeLessThan(500);
  expect(others).toEqual(others.map(() => plain));
});

test('S5: the last of repeated names counts', async () => {
  const answer = await post('/api/v1/run/tenant-flow', '{"input_value":"first","input_value":"second"}');
  expect(answer.status).toBe(200);
  expect(answer.text).toContain('second');
});

test('S5: other callers are served while hostile bodies come', async () => {
  const hostile = Array.from({ length: 40 }, (_, index) =>
    post('/api/v1/run/tenant-flow', index % 2 ? '['.repeat(MEBIBYTE) : bomb),
  );
  const good = await Promise.all(
    Array.from({ length: 20 }, () => tenant.call('POST', '/api/v1/run/tenant-flow', { input_value: 'well' })),
  );
  expect(good.map(({ status }) => status)).toEqual(good.map(() => 200));
  expect((await Promise.all(hostile)).every(({ status }) => status >= 400 && status < 500)).toBe(true);
});

const pollutingBodies = [
  '{"__proto__":{"polluted":1}}',
  '{"constructor":{"prototype":{"polluted":1}}}',
  '{"__proto__":[],"prototype":{"polluted":1}}',
  '{"a":{"__proto__":{"polluted":1}}}',
  '{"ChatInput-echo1":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}}',
  '{"__proto__.polluted":1,"constructor.prototype.polluted":1}',
  '{"__defineGetter__":1,"toString":1,"hasOwnProperty":1,"valueOf":1,"then":1,"toJSON":1}',
];

describe.each(pollutingBodies)('CWE-1321: %s', (text) => {
  test.each([
    ['as a body', () => bodies(text)],
    ['as tweaks', () => bodies(`{"input_value":"x","flow_id":"${tenant.ids.flow}","tweaks":${text}}`)],
    ['as data and settings of a flow', () => bodies(`{"name":"p","data":${text},"settings":${text}}`)],
    [
      'as nodes of a flow',
      () => bodies(`{"name":"p","data":{"nodes":[{"id":"a","data":${text}}],"edges":[]}}`),
    ],
  ])('%s affects only its own request', async (_what, send) => {
    for (const answer of await send()) expect(answer.headers.get('x-error-code')).not.toBe('internal');
    await expectUnpolluted();
  });
});

test('CWE-1321: names in the query and in headers change nothing', async () => {
  const query =
    '__proto__[polluted]=1&constructor[prototype][polluted]=1&__proto__.polluted=1&a[__proto__]=1';
  const headers = { 'x-langflow-global-var-__proto__': '1', 'x-langflow-global-var-constructor': '1' };
  const { paths } = (await gateway.call('GET', '/openapi.json')).json as OpenApiDocument;
  for (const [template, methods] of Object.entries(paths)) {
    if (!methods['get']) continue;
    // Event streams have no end.
    if (/events|\/sse$/.test(template)) continue;
    const answer = await gateway.call(
      'GET',
      `${template.replace(/\{\w+\}/g, ID)}?${query}`,
      undefined,
      headers,
    );
    expect([template, answer.headers.get('x-error-code') === 'internal']).toEqual([template, false]);
  }
  const run = (path: string) => post(path, '{"input_value":"x"}', { ...json, ...headers });
  expect((await run('/api/v1/run/tenant-flow')).status).toBe(200);
  expect((await run(`/api/v1/run/tenant-flow?${query}`)).status).toBe(422);
  await expectUnpolluted();
});

/** Sends one text as the body of each route, and of a change of a flow. */
async function bodies(text: string): Promise<readonly Answer[]> {
  const answers = await Promise.all(readers.map((path) => post(path, text)));
  const headers = { ...json, 'x-api-key': tenant.key };
  return [...answers, await gateway.call('PATCH', `/api/v1/flows/${tenant.ids.flow}`, text, headers)];
}

/** Gateway, stores and engine share this process, so a pollution by any of them would be visible here. */
async function expectUnpolluted(): Promise<void> {
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  expect(Object.prototype).not.toHaveProperty('polluted');
  const next = await tenant.call('POST', '/api/v1/run/tenant-flow', { input_value: 'as ever' });
  expect(next.status).toBe(200);
  expect(next.text).toContain('as ever');
}

describe('CWE-915: members that a caller must not set', () => {
  const stranger = { user_id: ID, owner_id: ID, id: ID, is_admin: true, is_superuser: true, version: 99 };

  test('a flow keeps its owner and its version', async () => {
    const created = await tenant.call('POST', '/api/v1/flows/', { name: 'mass', data: null, ...stranger });
    const { id, user_id: owner, version } = created.json as Record<string, unknown>;
    expect(version).toBe(1);
    const own = await tenant.call('GET', `/api/v1/flows/${tenant.ids.flow}`);
    expect(owner).toBe((own.json as Record<string, unknown>)['user_id']);
    const changed = await tenant.call('PATCH', `/api/v1/flows/${String(id)}`, {
      description: 'd',
      ...stranger,
    });
    expect(changed.json).toMatchObject({ id, user_id: owner, version: 1 });
  });

  test('only its own flag makes a user an admin, and a key has the scopes of its creator', async () => {
    const body = {
      username: 'climber',
      ...stranger,
      is_superuser: undefined,
      scopes: ['admin'],
      role: 'admin',
    };
    const user = await gateway.call('POST', '/api/v1/users', body);
    const key = (user.json as { api_key?: string }).api_key ?? '';
    const asked = await gateway.call('GET', '/api/v1/users', undefined, { 'x-api-key': key });
    expect(asked.status).toBe(403);
    const wider = await gateway.call(
      'POST',
      '/api/v1/api_key/',
      { scopes: ['admin'], is_active: true },
      { 'x-api-key': key },
    );
    expect(wider.status).toBe(403);
  });

  test('the body of a run changes neither its owner nor its status', async () => {
    const body = { input_value: 'x', status: 'dead', attempt: 9, run_id: ID, ...stranger };
    const answer = await tenant.call('POST', '/api/v1/run/tenant-flow', body);
    expect(answer.status).toBeLessThan(500);
    const runId = answer.headers.get('x-run-id');
    expect(runId).not.toBe(ID);
    if (runId !== null) {
      expect((await tenant.call('GET', `/api/v1/runs/${runId}`)).json).toMatchObject({
        id: runId,
        status: 'succeeded',
      });
    }
  });

  test('no route returns the value of a credential', async () => {
    const value = 'canary-of-a-credential';
    const variable = { name: 'SECRET', value, type: 'Credential', default_fields: [] };
    const stored = await tenant.call('POST', '/api/v1/variables/', variable);
    expect(stored.status).toBe(201);
    const paths = ['/api/v1/variables/', '/api/v1/flows/', '/api/v1/runs', '/api/v1/api_key/', '/metrics'];
    for (const path of paths) expect((await tenant.call('GET', path)).text).not.toContain(value);
  });
});
