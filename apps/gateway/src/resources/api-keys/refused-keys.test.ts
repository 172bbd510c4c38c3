import { connect } from 'node:net';
import type { OpenApiDocument } from '../../openapi/openapi-document';
import { gatewayForTests, TEST_KEY } from '../../testing/test-gateway';

const ID = '00000000-0000-4000-8000-00000000000e';
const ABSENT = 'No authentication credentials provided';
/** Method and path of every route that requires a key, with its error texts. */
const keyedRoutes: {
  method: string;
  path: string;
  missing: string;
  invalid: string;
  takesBearer: boolean;
}[] = [];
/** Keys that were valid before. */
const former = { expired: '', revoked: '' };

const gateway = gatewayForTests();
beforeAll(async () => {
  const { paths } = (await gateway.call('GET', '/openapi.json')).json as OpenApiDocument;
  for (const [template, methods] of Object.entries(paths)) {
    for (const [name, operation] of Object.entries(methods)) {
      // Public routes require no key; webhooks are answered by ingest.
      if (operation.security?.length === 0 || template.startsWith('/api/v1/webhook/')) continue;
      const takesBearer = JSON.stringify(operation.security ?? []).includes('keyAsBearer');
      const path = template.replace(/\{\w+\}/g, ID);
      keyedRoutes.push({ method: name.toUpperCase(), path, takesBearer, ...errorTexts(template) });
    }
  }
  const old = { name: 'old', expires_at: '2020-01-01T00:00:00' };
  former.expired = (await createKey(old)).api_key;
  const { id, api_key: key } = await createKey({ name: 'revoked' });
  await gateway.call('GET', '/api/v1/flows/', undefined, { 'x-api-key': key });
  await gateway.call('DELETE', `/api/v1/api_key/${id}`);
  former.revoked = key;
}, 60_000);

/** The body of a refusal: routes of OpenAI's interface have its error shape. */
function refusalOn(path: string, message: string, kind: 'missing' | 'invalid'): string {
  if (!path.startsWith('/v1/')) return JSON.stringify({ detail: message });
  return JSON.stringify({ error: { message, type: 'permission_error', param: null, code: `key_${kind}` } });
}

async function createKey(body: unknown): Promise<{ id: string; api_key: string }> {
  return (await gateway.call('POST', '/api/v1/api_key/', body)).json;
}

/** Agents of other systems get 401 for a refused key. */
function isForAgents(path: string): boolean {
  return /^\/api\/v1\/a2a\/[^/]+\/jsonrpc$/.test(path);
}

/** The error texts of a kind of route, as recorded from Langflow. */
function errorTexts(template: string): { missing: string; invalid: string } {
  if (template.startsWith('/api/v1/webhook-events/')) {
    const text = 'Missing or invalid credentials (cookie or API key).';
    return { missing: text, invalid: text };
  }
  if (isForAgents(template)) return { missing: 'API key required', invalid: 'Invalid API key' };
  return /^\/(api\/v1\/|v1\/)?(run|predict|process|responses|models|chat|mcp)\b/.test(template)
    ? { missing: 'An API key must be passed as query or header', invalid: 'Invalid or missing API key' }
    : { missing: ABSENT, invalid: 'Invalid API key' };
}

/** Sends each header unchanged, including Latin-1 and repeated ones. Resolves to status and body. */
function send(
  method: string,
  path: string,
  headers: readonly string[],
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const socket = connect(gateway.port, '127.0.0.1');
    let received = '';
    socket.on('error', reject).on('data', (bytes) => {
      received += bytes.toString();
      // Some streams have no end.
      if (/^content-type: text\/event-stream/im.test(received)) socket.destroy();
    });
    socket.on('close', () => {
      const [head = '', ...rest] = received.split('\r\n\r\n');
      resolve({ status: Number(head.split(' ')[1]), body: rest.join('\r\n\r\n') });
    });
    const lines = [
      `${method} ${path} HTTP/1.1`,
      'host: a',
      'connection: close',
      'content-length: 0',
      ...headers,
    ];
    socket.write(Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'));
  });
}

test.each([
  ['no key', () => [], 'missing'],
  ['an empty key', () => ['x-api-key: '], 'missing'],
  ['a wrong key', () => ['x-api-key: sk-wrong'], 'invalid'],
  ['a key of 10 kB', () => [`x-api-key: ${'k'.repeat(10_000)}`], 'invalid'],
  ['a key that is not ASCII', () => ['x-api-key: sk-\u00e4\u00ff'], 'invalid'],
  ['a good key and another one', () => [`x-api-key: ${TEST_KEY}`, 'x-api-key: sk-other'], 'invalid'],
  ['the same good key twice', () => [`x-api-key: ${TEST_KEY}`, `x-api-key: ${TEST_KEY}`], 'invalid'],
  ['a good key with a suffix', () => [`x-api-key: ${TEST_KEY}x`], 'invalid'],
  ['a good key in upper case', () => [`x-api-key: ${TEST_KEY.toUpperCase()}`], 'invalid'],
  ['a wildcard', () => ['x-api-key: %'], 'invalid'],
  ['a key that has expired', () => [`x-api-key: ${former.expired}`], 'invalid'],
  ['a key that was deleted', () => [`x-api-key: ${former.revoked}`], 'invalid'],
] as const)('%s is refused on every route with the texts of that route', async (_what, headers, kind) => {
  expect(keyedRoutes.length).toBeGreaterThan(50);
  for (const keyedRoute of keyedRoutes) {
    const { status, body } = await send(keyedRoute.method, keyedRoute.path, headers());
    // A missing body is reported before the key is checked, as in Langflow.
    expect([keyedRoute.method, keyedRoute.path, status, body]).toEqual([
      keyedRoute.method,
      keyedRoute.path,
      isForAgents(keyedRoute.path) ? 401 : 403,
      refusalOn(keyedRoute.path, keyedRoute[kind], kind),
    ]);
  }
});

test('a good key as bearer token is refused on all routes except OpenAI-compatible ones', async () => {
  const accepted: string[] = [];
  for (const { method, path, takesBearer } of keyedRoutes) {
    const { status } = await send(method, path, [`authorization: Bearer ${TEST_KEY}`]);
    if (![401, 403].includes(status)) accepted.push(path);
    expect([path, ![401, 403].includes(status)]).toEqual([path, takesBearer]);
  }
  expect(accepted).toEqual(['/api/v1/responses', '/v1/models', `/v1/models/${ID}`, '/v1/chat/completions']);
});

test.each([
  ['a token that is not an API key', () => ['authorization: Bearer abc'], 'missing'],
  ['a scheme without a token', () => ['authorization: Bearer '], 'missing'],
  ['another scheme', () => [`authorization: Basic ${TEST_KEY}`], 'missing'],
  ['a wrong key', () => ['authorization: Bearer sk-wrong'], 'invalid'],
  ['a key of 10 kB', () => [`authorization: Bearer sk-${'k'.repeat(10_000)}`], 'invalid'],
  ['a good key with a suffix', () => [`authorization: Bearer ${TEST_KEY} x`], 'invalid'],
  [
    'a good key and another one',
    () => [`authorization: Bearer ${TEST_KEY}`, 'authorization: Bearer sk-other'],
    'invalid',
  ],
  [
    'the same good key twice',
    () => [`authorization: Bearer ${TEST_KEY}`, `authorization: Bearer ${TEST_KEY}`],
    'invalid',
  ],
  ['a key that has expired', () => [`authorization: Bearer ${former.expired}`], 'invalid'],
  ['a key that was deleted', () => [`authorization: Bearer ${former.revoked}`], 'invalid'],
  [
    'a good key in addition to a wrong x-api-key',
    () => [`authorization: Bearer ${TEST_KEY}`, 'x-api-key: sk-wrong'],
    'invalid',
  ],
] as const)('as a bearer token, %s is refused like any key', async (_what, headers, kind) => {
  for (const keyedRoute of keyedRoutes.filter(({ takesBearer }) => takesBearer)) {
    const { status, body } = await send(keyedRoute.method, keyedRoute.path, headers());
    expect([status, body]).toEqual([403, refusalOn(keyedRoute.path, keyedRoute[kind], kind)]);
  }
});

test.each(['Bearer', 'bearer', 'BEARER', 'Bearer  '])('the scheme can be written "%s"', async (scheme) => {
  // The body is missing, which is checked after the key.
  const { status } = await send('POST', '/api/v1/responses', [`authorization: ${scheme} ${TEST_KEY}`]);
  expect(status).toBe(422);
});

const denials = new Set(
  ['Permission denied', "The user doesn't have enough privileges"].map((detail) =>
    JSON.stringify({ detail }),
  ),
);

test('a key for runs has no access to management, and only admins create users', async () => {
  const { api_key: runner } = await createKey({ name: 'runner', scopes: ['run'] });
  const { api_key: manager } = await createKey({ name: 'manager', scopes: ['run', 'manage'] });
  const refused = async (key: string) => {
    const found: string[] = [];
    for (const { method, path } of keyedRoutes) {
      const { body } = await send(method, path, [`x-api-key: ${key}`]);
      if (denials.has(body)) found.push(`${method} ${path.replace(ID, '{}')}`);
    }
    return found;
  };
  const managed = [
    ...['GET', 'POST'].map((method) => `${method} /api/v1/api_key/`),
    ...['GET', 'PATCH', 'PUT', 'DELETE'].map((method) => `${method} /api/v1/flows/{}`),
    ...['GET', 'POST', 'DELETE'].map((method) => `${method} /api/v1/flows/`),
    ...['GET', 'POST'].map((method) => `${method} /api/v1/variables/`),
    ...['GET', 'POST', 'DELETE'].map((method) => `${method} /api/v2/mcp/servers/{}`),
    'DELETE /api/v1/monitor/messages',
    'DELETE /api/v2/files/{}',
  ];
  const users = [
    'GET /api/v1/users',
    'GET /api/v1/users/{}',
    'POST /api/v1/users',
    'DELETE /api/v1/users/{}',
  ];
  expect(await refused(runner)).toEqual(expect.arrayContaining([...managed, ...users]));
  const forAdmins = new Set((await refused(manager)).map((keyedRoute) => keyedRoute.replace(/\/$/, '')));
  const authorCode = ['GET', 'PUT', 'DELETE'].map((method) => `${method} /api/v1/author-code/{}`);
  const audit = ['GET /api/v1/audit', 'GET /api/v1/audit/export'];
  expect([...forAdmins].sort()).toEqual(
    [
      'GET /api/v1/author-code',
      'GET /api/v1/autoscale',
      'GET /api/v1/monitor/job_queue',
      'GET /api/v1/system/health',
      'GET /api/v1/system/settings',
      'GET /api/v1/limits/users/{}',
      'PUT /api/v1/limits/users/{}',
      'GET /api/v1/workers',
      ...authorCode,
      ...users,
      ...audit,
      'GET /logs',
      'GET /logs-stream',
    ].toSorted(),
  );
});

/** What a key of scope `run` may do: no route here gives or ends rights. */
const allowedToRunners = [
  'POST /api/v1/a2a/:/jsonrpc',
  'POST /api/v1/agui/:',
  'POST /api/v1/files/upload/:',
  'POST /api/v1/upload/:',
  'POST /api/v1/mcp/',
  'POST /api/v1/mcp/project/:/',
  'POST /api/v1/mcp/project/:/streamable',
  'POST /api/v1/mcp/streamable',
  'POST /api/v1/predict/:',
  'POST /api/v1/process/:',
  'POST /api/v1/responses',
  'POST /api/v1/run/:',
  'POST /api/v1/run/advanced/:',
  'POST /api/v1/runs/:/cancel',
  'POST /api/v1/runs/:/replay',
  'POST /api/v1/runs/bulk',
  'POST /api/v1/runs/replay',
  'POST /api/v2/files',
  'POST /api/v2/files/',
  'POST /api/v2/files/batch/',
  'POST /api/v2/workflows',
  'POST /api/v2/workflows/:/resume',
  'POST /api/v2/workflows/stop',
  'POST /run/:',
  'POST /v1/chat/completions',
  'DELETE /api/v1/mcp/project/:/streamable',
  'DELETE /api/v1/mcp/streamable',
  'GET /api/v1/a2a/agents',
  ...['', '/', '/:', '/:/chunks', '/:/metadata/keys', '/:/runs', '/:/runs/:'].map(
    (end) => `GET /api/v1/knowledge_bases${end}`,
  ),
  'GET /api/v1/alerts',
  'GET /api/v1/callbacks',
  'GET /api/v1/callbacks/:',
  'GET /api/v1/conversations',
  'GET /api/v1/conversations/messages',
  'GET /api/v1/files/download/:/:',
  'GET /api/v1/files/images/:/:',
  'GET /api/v1/files/list/:',
  'GET /api/v1/flows/:/refused-deliveries',
  'GET /api/v1/flows/stats',
  'GET /api/v1/memberships',
  'GET /api/v1/mcp/project/:',
  'GET /api/v1/mcp/project/:/sse',
  'GET /api/v1/mcp/project/:/streamable',
  'GET /api/v1/mcp/sse',
  'GET /api/v1/mcp/streamable',
  'GET /api/v1/monitor/builds',
  'GET /api/v1/monitor/messages',
  'GET /api/v1/monitor/messages/sessions',
  'GET /api/v1/monitor/traces',
  'GET /api/v1/monitor/traces/:',
  'GET /api/v1/monitor/transactions',
  'GET /api/v1/pending',
  'GET /api/v1/runs',
  'GET /api/v1/runs/:',
  'GET /api/v1/runs/:/attempts',
  'GET /api/v1/runs/:/request',
  'GET /api/v1/runs/:/trace',
  'GET /api/v1/runs/:/waiting',
  'GET /api/v1/runs/events',
  'GET /api/v1/runs/history',
  'GET /api/v1/runs/waiting',
  'GET /api/v1/usage',
  'GET /api/v1/users/whoami',
  'GET /api/v1/webhook-events/:',
  'GET /api/v2/files',
  'GET /api/v2/files/',
  'GET /api/v2/files/:',
  'GET /api/v2/workflows',
  'GET /api/v2/workflows/:/events',
  'GET /api/v2/workflows/pending',
  'GET /v1/models',
  'GET /v1/models/:',
];

test('a key of scope run reaches runs, their results and uploaded files, and no other route', async () => {
  const { api_key: key } = await createKey({ name: 'runner', scopes: ['run'] });
  const reached: string[] = [];
  for (const { method, path } of keyedRoutes) {
    const { status } = await send(method, path, [`x-api-key: ${key}`]);
    if (status !== 403) reached.push(`${method} ${path.replaceAll(ID, ':')}`);
  }
  expect(reached.sort()).toEqual(allowedToRunners.sort());
});
