import { createHash, sign } from 'node:crypto';
import { recordingLogger } from '@millrace/service/testing';
import { createGateway } from '../../gateway';
import { beginSignIn, cookieOf } from '../../testing/begin-sign-in';
import { openTestGateway } from '../../testing/test-gateway';
import type { TestGateway } from '../../testing/test-gateway';
import { startTestIssuer } from '../../testing/test-issuer';
import type { TestIssuer } from '../../testing/test-issuer';

const PUBLIC = 'https://mill.example';
const CALLBACK = `${PUBLIC}/api/v1/sign-on/acme/callback`;
const SESSION = '/api/v1/console/session';
const groups = { ann: ['builders'], eve: ['admins'], bob: [] as string[] };
let issuer: TestIssuer;
const logger = recordingLogger();
let gateway: TestGateway;

beforeAll(async () => {
  const consoleClient = {
    client_id: 'console',
    client_secret: 'a secret of the tests',
    redirect_uris: [CALLBACK],
    grant_types: ['authorization_code'],
    response_types: ['code'],
    // Its ID tokens name the session there.
    backchannel_logout_uri: `${PUBLIC}/api/v1/sign-on/acme/logout`,
    backchannel_logout_session_required: true,
  };
  issuer = await startTestIssuer({ clients: [consoleClient], groups });
  const acme = {
    name: 'acme',
    issuer: issuer.url,
    client_id: 'console',
    client_secret: consoleClient.client_secret,
    scope: 'openid profile groups',
    roles: { admins: 'admin', builders: 'manage' },
  };
  gateway = await openTestGateway({
    logger,
    environment: { MILLRACE_ISSUERS: JSON.stringify([acme]), MILLRACE_PUBLIC_URL: PUBLIC },
  });
}, 120_000);
afterAll(() => Promise.all([gateway?.close(), issuer?.stop()]));

const begin = (account: string) => beginSignIn(gateway, { name: 'acme', account, callback: CALLBACK });
const finish = (back: URL, cookie: string) =>
  gateway.call('GET', back.pathname + back.search, undefined, { cookie });

async function signInAs(account: string) {
  const { cookie, back } = await begin(account);
  const { status, headers } = await finish(back, cookie);
  expect([status, headers.get('location')]).toEqual([302, '/']);
  return { cookie: cookieOf(headers, 'millrace_session'), headers };
}

const own = (cookie: string) => ({ 'x-api-key': '', 'x-millrace-console': '1', cookie });
const read = (cookie: string) => gateway.call('GET', SESSION, undefined, own(cookie));

test('a person signs in at an issuer, with the role of their groups', async () => {
  expect((await gateway.call('GET', '/api/v1/sign-on')).json).toEqual({
    issuers: [
      {
        name: 'acme',
        issuer: issuer.url,
        console_path: '/api/v1/sign-on/acme',
        cli_client_id: null,
        scope: 'openid profile groups',
      },
    ],
  });
  const { setCookie, back } = await begin('ann');
  expect(setCookie).toMatch(
    /^millrace_sign_on=[\w-]{43}; HttpOnly; SameSite=Lax; Path=\/api\/v1\/sign-on; Max-Age=600; Secure$/,
  );
  expect([...back.searchParams.keys()].toSorted()).toEqual(['code', 'iss', 'state']);
  const { cookie, headers } = await signInAs('ann');
  expect(headers.getSetCookie().at(-1)).toMatch(
    /^millrace_session=[\w-]{43}; HttpOnly; SameSite=Strict; .*; Secure$/,
  );
  expect((await read(cookie)).json).toMatchObject({
    user: { username: 'ann (acme)', is_superuser: false },
    scopes: ['run', 'manage'],
  });
  const admin = await signInAs('eve');
  expect((await read(admin.cookie)).json).toMatchObject({ user: { is_superuser: true } });
});

test('a role that the issuer takes away ends with the next sign-in, also from keys', async () => {
  const { cookie } = await signInAs('eve');
  const made = await gateway.call(
    'POST',
    '/api/v1/api_key/',
    { name: 'of eve' },
    { ...own(cookie), origin: PUBLIC },
  );
  const key = (made.json as { api_key: string }).api_key;
  const audit = () => gateway.call('GET', '/api/v1/audit', undefined, { 'x-api-key': key });
  expect((await audit()).status).toBe(200);
  await issuer.setGroups({ ...groups, eve: ['builders'] });
  const later = await signInAs('eve');
  expect((await read(later.cookie)).json).toMatchObject({ scopes: ['run', 'manage'] });
  expect((await audit()).status).toBe(403);
});

test('a person whose groups have no role is not signed in', async () => {
  const { cookie, back } = await begin('bob');
  const { headers } = await finish(back, cookie);
  expect(headers.get('location')).toBe('/?sign-on=no_role');
  const failed = { error: expect.any(Error), issuer: 'acme', reason: 'no_role' };
  expect(logger.fieldsOf('a sign-in at an issuer failed')).toEqual([failed]);
  expect(cookieOf(headers, 'millrace_session')).toBe('');
});

test.each([
  ['of another browser', 'millrace_sign_on=' + 'A'.repeat(43), (back: URL) => back, 'expired'],
  ['without a cookie', '', (back: URL) => back, 'expired'],
  ['with another state', null, (back: URL) => changed(back, 'state', 'other'), 'expired'],
  ['with another code', null, (back: URL) => changed(back, 'code', 'other'), 'refused'],
  ['of another issuer', null, (back: URL) => changed(back, 'iss', 'https://id.example'), 'refused'],
  ['with an error', null, (back: URL) => changed(back, 'error', 'access_denied'), 'refused'],
] as const)('an answer of an issuer %s starts no session', async (_what, cookie, change, reason) => {
  const begun = await begin('ann');
  const { status, headers } = await finish(change(begun.back), cookie ?? begun.cookie);
  expect([status, headers.get('location')]).toEqual([302, `/?sign-on=${reason}`]);
  expect(cookieOf(headers, 'millrace_session')).toBe('');
});

function changed(back: URL, name: string, value: string): URL {
  const url = new URL(back);
  url.searchParams.set(name, value);
  return url;
}

test('an answer of an issuer counts once', async () => {
  const { cookie, back } = await begin('ann');
  expect((await finish(back, cookie)).headers.get('location')).toBe('/');
  expect((await finish(back, cookie)).headers.get('location')).toBe('/?sign-on=refused');
});

const EVENTS = { 'http://schemas.openid.net/event/backchannel-logout': {} };

/** A logout token as the issuer signs it, but for what is given. */
async function logoutToken(claims: Record<string, unknown>, typ = 'logout+jwt'): Promise<string> {
  const { kid, privateKey } = await issuer.key();
  const now = Math.floor(Date.now() / 1_000);
  const payload = {
    iss: issuer.url,
    aud: 'console',
    iat: now,
    exp: now + 120,
    jti: 'x',
    events: EVENTS,
    ...claims,
  };
  const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const input = `${base64({ alg: 'RS256', typ, kid })}.${base64(payload)}`;
  return `${input}.${sign('RSA-SHA256', Buffer.from(input), privateKey).toString('base64url')}`;
}

const logout = (token: string) =>
  gateway.call(
    'POST',
    '/api/v1/sign-on/acme/logout',
    new URLSearchParams({ logout_token: token }).toString(),
    {
      'content-type': 'application/x-www-form-urlencoded',
      'x-api-key': '',
    },
  );

test('a logout token ends the sessions of its subject, or one of them, on every gateway', async () => {
  const other = createGateway({ ...gateway, instance: `${gateway.instance}-other` });
  const { port } = await other.listen({ host: '127.0.0.1', port: 0 });
  const elsewhere = async (cookie: string) =>
    (await fetch(`http://127.0.0.1:${port}${SESSION}`, { headers: own(cookie) })).status;
  try {
    const [first, second] = [await signInAs('ann'), await signInAs('ann')];
    const stranger = await signInAs('eve');
    for (const { cookie } of [first, second, stranger]) expect(await elsewhere(cookie)).toBe(200);
    const { rows } = await gateway.database.query<{ issuer_session: string }>({
      text: 'SELECT issuer_session FROM console_sessions WHERE token_hash = $1',
      values: [sha256(first.cookie.split('=')[1] ?? '')],
    });
    expect((await logout(await logoutToken({ sid: rows[0]?.issuer_session }))).status).toBe(200);
    expect([await elsewhere(first.cookie), await elsewhere(second.cookie)]).toEqual([401, 200]);
    const began = Date.now();
    expect((await logout(await logoutToken({ sub: 'ann' }))).status).toBe(200);
    expect(await elsewhere(second.cookie)).toBe(401);
    expect(Date.now() - began).toBeLessThan(60_000);
    expect((await read(second.cookie)).status).toBe(401);
    expect(await elsewhere(stranger.cookie)).toBe(200);
  } finally {
    await other.close();
  }
});

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

test.each([
  ['for another client', { sub: 'ann', aud: 'other' }, undefined],
  ['without a name', {}, undefined],
  ['without the event', { sub: 'ann', events: {} }, undefined],
  ['that is an ID token', { sub: 'ann', nonce: 'x' }, 'JWT'],
  ['that is an access token', { sub: 'ann' }, 'at+jwt'],
  ['that is old', { sub: 'ann', iat: 1_000_000_000, exp: 4_000_000_000 }, undefined],
  ['of another issuer', { sub: 'ann', iss: 'https://id.example' }, undefined],
])('a logout token %s ends nothing', async (_what, claims, typ) => {
  const { cookie } = await signInAs('ann');
  const answer = await logout(await logoutToken(claims, typ));
  expect([answer.status, answer.headers.get('x-error-code')]).toEqual([400, 'logout_refused']);
  expect((await read(cookie)).status).toBe(200);
});

test('without issuers there is nothing to sign in at', async () => {
  const plain = await openTestGateway();
  try {
    expect((await plain.call('GET', '/api/v1/sign-on')).json).toEqual({ issuers: [] });
    expect((await plain.call('GET', '/api/v1/sign-on/acme')).status).toBe(404);
    const jwt = { 'x-api-key': '', authorization: 'Bearer eyJhIjoxfQ.eyJhIjoxfQ.AA' };
    expect((await plain.call('GET', '/api/v1/users/whoami', undefined, jwt)).status).toBe(401);
    expect((await plain.call('GET', '/api/v1/runs', undefined, { ...jwt, authorization: '' })).status).toBe(
      403,
    );
  } finally {
    await plain.close();
  }
});
