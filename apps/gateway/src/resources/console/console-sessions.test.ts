import { fromConsole, signIn } from '../../testing/console-session';
import { openTestGateway, TEST_KEY } from '../../testing/test-gateway';
import type { TestGateway } from '../../testing/test-gateway';
import { createGateway } from '../../gateway';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openTestGateway();
}, 60_000);
afterAll(() => gateway.close());

const SESSION = '/api/v1/console/session';
const whoAmI = async (headers: Record<string, string>, url = gateway.url) => {
  const response = await fetch(`${url}/api/v1/users/whoami`, { headers });
  return [response.status, response.headers.get('x-error-code')];
};
const consoleCall = (method: string, path: string, cookie: string, headers: Record<string, string> = {}) =>
  gateway.call(method, path, undefined, { ...fromConsole, cookie, ...headers });

async function makeKey(body: Record<string, unknown> = {}): Promise<{ id: string; api_key: string }> {
  return (await gateway.call('POST', '/api/v1/api_key/', { name: 'console', ...body })).json;
}

test('a key is exchanged for a cookie that scripts cannot read, and the token is not stored', async () => {
  const { session, cookie, setCookie } = await signIn(gateway, TEST_KEY);
  expect(session).toEqual({
    session_id: expect.any(String),
    user: { id: gateway.user.id, username: 'admin', is_superuser: true },
    scopes: ['run', 'manage', 'admin'],
    expires_at: expect.any(String),
  });
  const hours = (Date.parse(session.expires_at) - Date.now()) / 3_600_000;
  expect(Math.round(hours)).toBe(12);
  expect(setCookie).toMatch(
    /^millrace_session=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/; Expires=[^;]+ GMT$/,
  );
  expect((await consoleCall('GET', SESSION, cookie)).json).toEqual(session);
  const { rows } = await gateway.database.query({ text: 'SELECT * FROM console_sessions' });
  expect(JSON.stringify(rows)).not.toContain(cookie.split('=')[1]);
});

test('the cookie has the rights of the key, and a key in the request goes first', async () => {
  const { api_key: runner } = await makeKey({ scopes: ['run'] });
  const { session, cookie } = await signIn(gateway, runner);
  expect(session.scopes).toEqual(['run']);
  expect((await consoleCall('GET', '/api/v1/runs', cookie)).status).toBe(200);
  expect(await consoleCall('GET', '/api/v1/flows/', cookie)).toMatchObject({ status: 403 });
  expect((await consoleCall('GET', '/api/v1/flows/', cookie, { 'x-api-key': TEST_KEY })).status).toBe(200);
});

test.each([
  ['without the header', { 'x-millrace-console': '' }],
  ['with another value of the header', { 'x-millrace-console': '2' }],
  ['from another port of the host', { origin: 'http://127.0.0.1:1' }],
  ['from another scheme', { origin: 'https://{host}' }],
  ['from another site', { origin: 'https://attacker.example' }],
  ['from a sandboxed page', { origin: 'null' }],
  ['from a page of the same site', { 'sec-fetch-site': 'same-site' }],
  ['from another site, without an origin', { 'sec-fetch-site': 'cross-site' }],
])('the cookie does not count %s', async (_how, headers: Record<string, string>) => {
  const { cookie } = await signIn(gateway, TEST_KEY);
  const own = { 'x-millrace-console': '1', cookie };
  expect(await whoAmI(own)).toEqual([200, null]);
  const origin = headers['origin']?.replace('{host}', `127.0.0.1:${gateway.port}`);
  const sent = { ...own, ...headers, ...(origin === undefined ? {} : { origin }) };
  expect(await whoAmI(sent)).toEqual([403, 'key_missing']);
  const posted = await fetch(`${gateway.url}/api/v1/variables/`, {
    method: 'POST',
    headers: { ...sent, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'FORGED', value: 'x' }),
  });
  expect(posted.status).toBe(403);
  for (const method of ['POST', 'DELETE']) {
    const body = method === 'POST' ? JSON.stringify({ api_key: TEST_KEY }) : null;
    const forged = await fetch(gateway.url + SESSION, { method, headers: sent, body });
    expect([method, forged.status]).toEqual([method, 403]);
    expect(forged.headers.get('set-cookie')).toBeNull();
  }
  expect(await whoAmI(own)).toEqual([200, null]);
});

test('the own origin is accepted, and a page of another origin cannot even ask', async () => {
  const { cookie } = await signIn(gateway, TEST_KEY);
  const own = { 'x-millrace-console': '1', cookie };
  expect(await whoAmI({ ...own, origin: gateway.url, 'sec-fetch-site': 'same-origin' })).toEqual([200, null]);
  const preflight = await fetch(`${gateway.url}/api/v1/flows/`, {
    method: 'OPTIONS',
    headers: {
      origin: 'http://127.0.0.1:1',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'x-millrace-console',
    },
  });
  expect(preflight.headers.get('access-control-allow-credentials')).toBeNull();
  expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
});

test('a refused sign-in is counted for the audit log', async () => {
  const answer = await gateway.call('POST', SESSION, { api_key: 'sk-wrong' }, fromConsole);
  expect([answer.status, answer.headers.get('x-error-code')]).toEqual([403, 'key_invalid']);
  expect(answer.headers.get('set-cookie')).toBeNull();
  await gateway.refusedSignIns.flush();
  const [entry] = await gateway.audit.list({ limit: 1, actions: ['sign_in.refused'] });
  expect(entry?.detail).toContain('key_invalid');
});

test('sessions are listed, and end one by one', async () => {
  const { api_key: key } = (await gateway.call('POST', '/api/v1/users', { username: 'lister' })).json;
  const [first, second] = [await signIn(gateway, key), await signIn(gateway, key)];
  const list = async () =>
    (await consoleCall('GET', '/api/v1/console/sessions', second.cookie)).json as {
      sessions: { id: string; current: boolean }[];
    };
  const { sessions } = await list();
  expect(sessions.map(({ id, current }) => [id, current])).toEqual([
    [second.session.session_id, true],
    [first.session.session_id, false],
  ]);
  expect(sessions[0]).toMatchObject({ user_agent: expect.any(String), client_address: expect.any(String) });
  const ended = await consoleCall(
    'DELETE',
    `/api/v1/console/sessions/${first.session.session_id}`,
    second.cookie,
  );
  expect(ended.status).toBe(204);
  expect(await whoAmI({ 'x-millrace-console': '1', cookie: first.cookie })).toEqual([401, 'session_invalid']);
  expect((await list()).sessions).toHaveLength(1);
  const foreign = await gateway.call('GET', '/api/v1/console/sessions?all_users=true');
  expect(JSON.stringify(foreign.json)).toContain(second.session.session_id);
  expect((await consoleCall('GET', '/api/v1/console/sessions?all_users=true', second.cookie)).status).toBe(
    403,
  );
  const byAdmin = await gateway.call('DELETE', `/api/v1/console/sessions/${second.session.session_id}`);
  expect(byAdmin.status).toBe(204);
  expect((await consoleCall('GET', SESSION, second.cookie)).status).toBe(401);
});

test('signing out ends the session and removes the cookie, also a second time', async () => {
  const { cookie } = await signIn(gateway, TEST_KEY);
  for (let time = 0; time < 2; time += 1) {
    const answer = await consoleCall('DELETE', SESSION, cookie);
    expect(answer.status).toBe(204);
    expect(answer.headers.get('set-cookie')).toContain('Expires=Thu, 01 Jan 1970');
  }
  expect((await consoleCall('GET', SESSION, cookie)).status).toBe(401);
});

test('a session ends with its key, and by its own time', async () => {
  const { id, api_key: key } = await makeKey();
  const { cookie } = await signIn(gateway, key);
  const own = { 'x-millrace-console': '1', cookie };
  expect(await whoAmI(own)).toEqual([200, null]);
  await gateway.call('DELETE', `/api/v1/api_key/${id}`);
  expect(await whoAmI(own)).toEqual([401, 'session_invalid']);
  const other = await signIn(gateway, TEST_KEY);
  await gateway.database.query({
    text: `UPDATE console_sessions SET expires_at = now() - interval '1 second' WHERE id = $1`,
    values: [other.session.session_id],
  });
  expect(await whoAmI({ ...own, cookie: other.cookie })).toEqual([401, 'session_invalid']);
});

test('a user has at most 20 sessions: the least recently used ends', async () => {
  const { api_key: key } = (await gateway.call('POST', '/api/v1/users', { username: 'many' })).json;
  const first = await signIn(gateway, key);
  for (let count = 1; count < 20; count += 1) await signIn(gateway, key);
  expect((await consoleCall('GET', SESSION, first.cookie)).status).toBe(200);
  await signIn(gateway, key);
  expect((await consoleCall('GET', SESSION, first.cookie)).status).toBe(401);
});

test('another gateway knows the session, and its end', async () => {
  const other = createGateway({ ...gateway, instance: `${gateway.instance}-other` });
  const { port } = await other.listen({ host: '127.0.0.1', port: 0 });
  try {
    const url = `http://127.0.0.1:${port}`;
    const { cookie } = await signIn(gateway, TEST_KEY);
    const own = { 'x-millrace-console': '1', cookie };
    expect(await whoAmI(own, url)).toEqual([200, null]);
    await consoleCall('DELETE', SESSION, cookie);
    expect(await whoAmI(own, url)).toEqual([401, 'session_invalid']);
    const { id, api_key: key } = await makeKey();
    const second = { ...own, cookie: (await signIn(gateway, key)).cookie };
    expect(await whoAmI(second, url)).toEqual([200, null]);
    await gateway.call('DELETE', `/api/v1/api_key/${id}`);
    expect(await whoAmI(second, url)).toEqual([401, 'session_invalid']);
  } finally {
    await other.close();
  }
});

test('behind HTTPS the cookie is Secure, and the origin is that of the public URL', async () => {
  const forwarded = await gateway.call(
    'POST',
    SESSION,
    { api_key: TEST_KEY },
    {
      ...fromConsole,
      'x-forwarded-proto': 'https',
      origin: `https://127.0.0.1:${gateway.port}`,
    },
  );
  expect(forwarded.headers.get('set-cookie')).toMatch(/; Secure$/);
  const proxied = await openTestGateway({ environment: { MILLRACE_PUBLIC_URL: 'https://mill.example/' } });
  try {
    const sent = (origin: string) =>
      proxied.call('POST', SESSION, { api_key: TEST_KEY }, { ...fromConsole, origin });
    expect((await sent('https://mill.example')).headers.get('set-cookie')).toMatch(/; Secure$/);
    expect((await sent(proxied.url)).status).toBe(403);
  } finally {
    await proxied.close();
  }
});
