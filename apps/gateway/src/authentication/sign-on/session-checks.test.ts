import { hashApiKey } from '@millrace/runs';
import { createMetrics } from '@millrace/service';
import type { Metrics } from '@millrace/service';
import { recordingLogger, until } from '@millrace/service/testing';
import { createGateway } from '../../gateway';
import { beginSignIn, cookieOf } from '../../testing/begin-sign-in';
import { openTestGateway } from '../../testing/test-gateway';
import type { TestGateway } from '../../testing/test-gateway';
import { startTestIssuer } from '../../testing/test-issuer';
import type { TestIssuer } from '../../testing/test-issuer';

const PUBLIC = 'https://mill.example';
const SESSION = '/api/v1/console/session';
const CHECKED = 500;
const groups = { ann: ['builders'], bob: ['builders'], eve: ['builders'], dan: ['builders'] };
const callbackOf = (name: string) => `${PUBLIC}/api/v1/sign-on/${name}/callback`;

/** Gives refresh tokens, each of which counts once. */
let renewing: TestIssuer;
/** Gives none. */
let plain: TestIssuer;
let gateway: TestGateway;
const logger = recordingLogger();

const startIssuer = (name: string, grants: readonly string[]) =>
  startTestIssuer({
    clients: [
      {
        client_id: 'console',
        client_secret: 'a secret of the tests',
        redirect_uris: [callbackOf(name)],
        grant_types: ['authorization_code', ...grants],
        response_types: ['code'],
      },
    ],
    groups,
    rotatesTokens: true,
  });

beforeAll(async () => {
  [renewing, plain] = await Promise.all([
    startIssuer('renewing', ['refresh_token']),
    startIssuer('plain', []),
  ]);
  const settings = Object.entries({ renewing, plain }).map(([name, { url }]) => ({
    name,
    issuer: url,
    client_id: 'console',
    client_secret: 'a secret of the tests',
    scope: 'openid profile groups',
    roles: { builders: 'manage', readers: 'run' },
  }));
  gateway = await openTestGateway({
    environment: { MILLRACE_ISSUERS: JSON.stringify(settings), MILLRACE_PUBLIC_URL: PUBLIC },
    limits: { sessionCheckMilliseconds: CHECKED, sessionChecksOfIssuer: 1 },
    logger,
  });
}, 120_000);
afterAll(async () => {
  await gateway?.close();
  await Promise.all([renewing?.stop(), plain?.stop()]);
});

async function signIn(name: string, account: string): Promise<string> {
  const { cookie, back } = await beginSignIn(gateway, { name, account, callback: callbackOf(name) });
  const { headers } = await gateway.call('GET', back.pathname + back.search, undefined, { cookie });
  expect(headers.get('location')).toBe('/');
  return cookieOf(headers, 'millrace_session');
}

const own = (cookie: string) => ({ 'x-api-key': '', 'x-millrace-console': '1', cookie });
/** Of the session that this cookie is of. */
async function idOf(cookie: string): Promise<string> {
  const hash = hashApiKey(cookie.split('=')[1] ?? '');
  const { rows } = await gateway.database.query<{ id: string }>({
    text: 'SELECT id FROM console_sessions WHERE token_hash = $1',
    values: [hash],
  });
  return rows[0]?.id ?? '';
}

const read = (cookie: string) => gateway.call('GET', SESSION, undefined, own(cookie));

async function checks(outcome: string, metrics: Metrics = gateway.metrics): Promise<number> {
  const text = await metrics.prometheusText();
  const line = text
    .split('\n')
    .find((one) => one.startsWith(`millrace_session_checks_total{outcome="${outcome}"`));
  return Number(line?.split(' ')[1]);
}

test('a used session is checked by refresh tokens that count once, on two gateways, and ends when the account is disabled', async () => {
  const metrics = createMetrics();
  const other = createGateway({ ...gateway, metrics, instance: `${gateway.instance}-other` });
  const { port } = await other.listen({ host: '127.0.0.1', port: 0 });
  const statuses = async (cookie: string) => [
    (await read(cookie)).status,
    (await fetch(`http://127.0.0.1:${port}${SESSION}`, { headers: own(cookie) })).status,
  ];
  try {
    const cookie = await signIn('renewing', 'ann');
    await until(async () => {
      expect(await statuses(cookie)).toEqual([200, 200]);
      const both = [await checks('confirmed'), await checks('confirmed', metrics)];
      return both.every((count) => count >= 2);
    });
    const { rows } = await gateway.database.query<{ text: string }>({
      text: 'SELECT coalesce(encrypted_issuer_token, $1) AS text FROM console_sessions',
      values: ['none'],
    });
    expect(rows.map(({ text }) => text.slice(0, 3))).toEqual(rows.map(() => 'v1.'));
    const disabledAt = performance.now();
    await renewing.disable('ann');
    await until(async () => (await statuses(cookie)).every((status) => status === 401));
    process.stdout.write(
      `out ${Math.round(performance.now() - disabledAt)} ms after, checked in ${CHECKED} ms\n`,
    );
    const { json } = await gateway.call('GET', '/api/v1/audit?action=session.ended');
    expect((json as { entries: object[] }).entries[0]).toMatchObject({ actor: 'system' });
  } finally {
    await other.close();
    await metrics.close();
  }
}, 120_000);

test('without a refresh token the account is checked by the access token, with which the session ends', async () => {
  const cookie = await signIn('plain', 'ann');
  const { expires_at: expiresAt } = (await read(cookie)).json as { expires_at: string };
  expect(Date.parse(expiresAt) - Date.now()).toBeLessThanOrEqual(3_600_000);
  const before = await checks('confirmed');
  await until(async () => {
    expect((await read(cookie)).status).toBe(200);
    return (await checks('confirmed')) > before;
  });
  await plain.disable('ann');
  await until(async () => (await read(cookie)).status === 401);
}, 120_000);

test('a session ends by a 401 without a challenge, too', async () => {
  const cookie = await signIn('plain', 'bob');
  await plain.refuse();
  try {
    await until(async () => {
      const { status } = await read(cookie);
      expect(status).not.toBe(503);
      return status === 401;
    });
  } finally {
    await plain.recover();
  }
}, 120_000);

test('a session whose token no key opens does not keep those of others from being checked', async () => {
  const unreadable = await signIn('renewing', 'bob');
  const id = await idOf(unreadable);
  const text = `UPDATE console_sessions SET encrypted_issuer_token = 'v1.unreadable' WHERE id = $1`;
  await gateway.database.query({ text, values: [id] });
  const other = await signIn('renewing', 'eve');
  const failures = async () => checks('unanswered');
  const [failed, before] = [await failures(), await checks('confirmed')];
  // By then the other session is due.
  await until(async () => {
    expect((await read(unreadable)).status).toBe(200);
    return (await failures()) >= failed + 10;
  });
  expect((await read(other)).status).toBe(200);
  expect(await checks('confirmed')).toBe(before + 1);
  const unchecked = logger.fieldsOf('a session could not be checked at its issuer');
  expect(unchecked).toContainEqual(expect.objectContaining({ issuer: 'renewing', sessionId: id }));
}, 120_000);

test('a session lasts when its new refresh token cannot be stored at once', async () => {
  const execute = (text: string) => gateway.database.query({ text });
  const cookie = await signIn('renewing', 'eve');
  await execute('CREATE SEQUENCE refused_stores');
  await execute(`CREATE FUNCTION refuse_store() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'store % is refused', nextval('refused_stores'); END $$`);
  await execute(`CREATE TRIGGER refuse BEFORE UPDATE OF checked_at ON console_sessions
    FOR EACH ROW EXECUTE FUNCTION refuse_store()`);
  const refused = async () => {
    const text = 'SELECT last_value::integer AS count FROM refused_stores WHERE is_called';
    const { rows } = await gateway.database.query<{ count: number }>({ text });
    return rows[0]?.count ?? 0;
  };
  await Promise.all([
    until(async () => {
      expect((await read(cookie)).status).toBe(200);
      return (await refused()) > 3;
    }),
    until(async () => (await refused()) > 3).then(() => execute('DROP TRIGGER refuse ON console_sessions')),
  ]);
  const before = await checks('confirmed');
  await until(async () => {
    expect((await read(cookie)).status).toBe(200);
    return (await checks('confirmed')) > before;
  });
}, 120_000);

test('the stream of a session that another gateway ended without a word ends', async () => {
  const cookie = await signIn('renewing', 'eve');
  const stream = await fetch(`${gateway.url}/api/v1/runs/events`, { headers: own(cookie) });
  const id = await idOf(cookie);
  await gateway.database.query({ text: 'DELETE FROM console_sessions WHERE id = $1', values: [id] });
  await stream.text().catch(() => undefined);
  expect((await read(cookie)).status).toBe(401);
}, 120_000);

test('an open stream is a use: it ends with the session', async () => {
  const cookie = await signIn('renewing', 'bob');
  const stream = await fetch(`${gateway.url}/api/v1/runs/events`, { headers: own(cookie) });
  expect(stream.status).toBe(200);
  await renewing.disable('bob');
  // Ends when the gateway ends it, within the time of the test.
  await stream.text().catch(() => undefined);
  expect((await read(cookie)).status).toBe(401);
}, 120_000);

test('a role that the issuer takes away ends the session', async () => {
  const cookie = await signIn('renewing', 'dan');
  await renewing.setGroups({ ...groups, dan: ['readers'] });
  await until(async () => (await read(cookie)).status === 401);
  const again = await signIn('renewing', 'dan');
  expect((await read(again)).json).toMatchObject({ scopes: ['run'] });
}, 120_000);

test('an issuer that hangs keeps no session of another issuer from its check', async () => {
  const [hanging, other] = [await signIn('renewing', 'dan'), await signIn('plain', 'dan')];
  await renewing.hang();
  try {
    const confirmed = await checks('confirmed');
    const waiting = until(async () => (await read(hanging)).status === 503);
    await until(async () => {
      expect((await read(other)).status).toBe(200);
      return (await checks('confirmed')) >= confirmed + 2;
    });
    await waiting;
  } finally {
    await renewing.recover();
  }
}, 120_000);

test('while the issuer is away a session lasts for a while, is refused then, and counts again afterwards unless it was signed out', async () => {
  const left = await signIn('renewing', 'eve');
  const cookie = await signIn('renewing', 'eve');
  const before = await checks('unanswered');
  await renewing.fail();
  const seen = new Set<number>();
  await until(async () => {
    const { status, headers } = await read(cookie);
    seen.add(status);
    if (status !== 503) return false;
    expect(headers.get('x-error-code')).toBe('issuer_unavailable');
    return true;
  });
  expect([...seen]).toEqual([200, 503]);
  expect(await checks('unanswered')).toBeGreaterThan(before);
  const sessionId = await idOf(cookie);
  const unanswered = logger.fieldsOf('an issuer did not answer the check of a session');
  expect(unanswered).toContainEqual(expect.objectContaining({ issuer: 'renewing', sessionId }));
  expect((await gateway.call('DELETE', SESSION, undefined, own(left))).status).toBe(204);
  await renewing.recover();
  await until(async () => (await read(cookie)).status === 200);
  expect((await read(left)).status).toBe(401);
}, 120_000);
