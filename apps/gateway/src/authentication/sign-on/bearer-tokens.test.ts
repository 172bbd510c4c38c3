import { createHmac, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { until } from '@millrace/service/testing';
import { openTestGateway } from '../../testing/test-gateway';
import type { TestGateway } from '../../testing/test-gateway';
import { startTestIssuer } from '../../testing/test-issuer';
import type { TestIssuer } from '../../testing/test-issuer';

const AUDIENCE = 'millrace';
const SECRET = 'a secret of the tests';
const client = (id: string) => ({
  client_id: id,
  client_secret: SECRET,
  grant_types: ['client_credentials'],
  redirect_uris: [],
  response_types: [],
});
const groups = { admins: ['admins'], builder: ['other', 'builders'], runner: ['runners'], outsider: [] };
const clients = ['admins', 'builder', 'runner', 'outsider', 'named', 'disabled', 'deleted'].map(client);
const roles = { admins: 'admin', builders: 'manage', runners: 'run' };
let issuer: TestIssuer;
let other: TestIssuer;
let gateway: TestGateway;

beforeAll(async () => {
  const given = { ...groups, named: ['builders'], disabled: ['builders'], deleted: ['builders'] };
  [issuer, other] = await Promise.all([
    startTestIssuer({ clients, groups: given }),
    startTestIssuer({ clients, groups: given }),
  ]);
  const settings = [
    { name: 'one', issuer: issuer.url, audience: AUDIENCE, roles, users: { named: 'existing' } },
    { name: 'two', issuer: other.url, audience: [AUDIENCE], roles },
  ];
  gateway = await openTestGateway({ environment: { MILLRACE_ISSUERS: JSON.stringify(settings) } });
  await gateway.call('POST', '/api/v1/users', { username: 'existing' });
}, 120_000);
afterAll(() => Promise.all([gateway?.close(), issuer?.stop(), other?.stop()]));

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const seconds = () => Math.floor(Date.now() / 1_000);

/** The answer of a management route, and of one that starts a run. */
async function callWith(token: string, method = 'GET', path = '/api/v1/users/whoami', body?: unknown) {
  const headers = { 'x-api-key': '', authorization: `Bearer ${token}` };
  const { status, json, headers: answered } = await gateway.call(method, path, body, headers);
  return { status, json: json as Record<string, unknown>, code: answered.get('x-error-code'), answered };
}

interface Forged {
  readonly header?: Readonly<Record<string, unknown>>;
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly key?: KeyObject;
  readonly signature?: (input: string) => string;
}

/** A token as the provider signs it, but for what is given. */
async function forge({ header = {}, claims = {}, key, signature }: Forged): Promise<string> {
  const { kid, privateKey } = await issuer.key();
  const payload = {
    iss: issuer.url,
    sub: 'builder',
    aud: AUDIENCE,
    iat: seconds(),
    exp: seconds() + 60,
    groups: ['builders'],
    ...claims,
  };
  const input = `${base64({ alg: 'RS256', typ: 'at+jwt', kid, ...header })}.${base64(payload)}`;
  const signed = () => sign('RSA-SHA256', Buffer.from(input), key ?? privateKey).toString('base64url');
  return `${input}.${signature === undefined ? signed() : signature(input)}`;
}

test('a token of an issuer is a credential, with the role of its groups and a user of its own', async () => {
  const token = await issuer.programToken('builder', SECRET);
  const me = await callWith(token);
  expect([me.status, me.json]).toMatchObject([200, { username: 'builder (one)', is_superuser: false }]);
  expect(await callWith(token)).toMatchObject({ json: { id: me.json['id'] } });
  const flow = { name: 'mine', data: { nodes: [], edges: [] } };
  expect(await callWith(token, 'POST', '/api/v1/flows/', flow)).toMatchObject({ status: 201 });
  expect(await callWith(token, 'GET', '/api/v1/audit')).toMatchObject({ status: 403 });
  const runner = await issuer.programToken('runner', SECRET);
  expect(await callWith(runner, 'GET', '/api/v1/runs')).toMatchObject({ status: 200 });
  expect(await callWith(runner, 'GET', '/api/v1/flows/')).toMatchObject({ status: 403 });
  const admin = await issuer.programToken('admins', SECRET);
  expect(await callWith(admin, 'GET', '/api/v1/audit')).toMatchObject({ status: 200 });
  const { rows } = await gateway.database.query({
    text: `SELECT issuer, subject FROM api_keys WHERE issuer IS NOT NULL ORDER BY subject`,
  });
  expect(rows).toEqual(['admins', 'builder', 'runner'].map((subject) => ({ issuer: issuer.url, subject })));
});

test('a token of a program whose groups have no role is refused', async () => {
  const answer = await callWith(await issuer.programToken('outsider', SECRET));
  expect(answer).toMatchObject({ status: 403, code: 'permission_denied' });
});

test('one subject at two issuers is two users', async () => {
  const [first, second] = await Promise.all([
    issuer.programToken('builder', SECRET).then((token) => callWith(token)),
    other.programToken('builder', SECRET).then((token) => callWith(token)),
  ]);
  expect([first.json['username'], second.json['username']]).toEqual(['builder (one)', 'builder (two)']);
  expect(first.json['id']).not.toBe(second.json['id']);
});

test('a subject is linked to an existing user where the setting says so', async () => {
  const { json } = await callWith(await issuer.programToken('named', SECRET));
  expect(json['username']).toBe('existing');
});

test('200 concurrent requests with a new identity make one user', async () => {
  const token = await other.programToken('runner', SECRET);
  const answers = await Promise.all(Array.from({ length: 200 }, () => callWith(token)));
  expect(new Set(answers.map(({ status, json }) => `${status} ${String(json['id'])}`)).size).toBe(1);
});

test('a user who is deactivated is refused, also with a token that was accepted', async () => {
  const token = await issuer.programToken('disabled', SECRET);
  const { id } = (await callWith(token)).json;
  await gateway.call('PATCH', `/api/v1/users/${String(id)}`, { is_active: false });
  for (const one of [token, await issuer.programToken('disabled', SECRET)])
    expect(await callWith(one)).toMatchObject({ status: 401, code: 'token_invalid' });
  await gateway.call('PATCH', `/api/v1/users/${String(id)}`, { is_active: true });
  await until(async () => (await callWith(token)).status === 200);
});

const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const deep = (levels: number) => '{"a":'.repeat(levels) + '1' + '}'.repeat(levels);

test.each<[string, () => Forged, string]>([
  ['of the algorithm none', () => ({ header: { alg: 'none' }, signature: () => '' }), 'algorithm'],
  ['of another audience', () => ({ claims: { aud: 'another' } }), '"aud"'],
  ['without an audience', () => ({ claims: { aud: undefined } }), '"aud"'],
  ['that has expired', () => ({ claims: { exp: seconds() - 40 } }), 'expired'],
  ['without an expiry', () => ({ claims: { exp: undefined } }), '"exp"'],
  ['of the future', () => ({ claims: { nbf: seconds() + 60 } }), '"nbf"'],
  ['of an unknown issuer', () => ({ claims: { iss: 'https://id.example' } }), 'issuer'],
  ['of the other issuer, signed by this one', () => ({ claims: { iss: other.url } }), 'key'],
  ['of another key with a known id', () => ({ key: stranger }), 'signature'],
  ['of another key with an unknown id', () => ({ key: stranger, header: { kid: 'unknown' } }), 'key'],
  ['whose key id is a path', () => ({ key: stranger, header: { kid: '../../dev/null' } }), 'key'],
  ['that brings its key', () => ({ key: stranger, header: { jwk: publicJwk(stranger) } }), 'signature'],
  ['that names its keys', () => ({ key: stranger, header: { jku: `${other.url}/jwks` } }), 'signature'],
  ['with an unknown critical header', () => ({ header: { crit: ['x'], x: 1 } }), 'malformed'],
  ['for another use', () => ({ header: { typ: 'logout+jwt' } }), 'type'],
  ['that ends sessions', () => ({ claims: { events: {} } }), 'type'],
  ['that is bound to a key', () => ({ claims: { cnf: { jkt: 'x' } } }), 'bound'],
  ['without a subject', () => ({ claims: { sub: undefined } }), '"sub"'],
  ['of a subject that cannot be stored', () => ({ claims: { sub: 'a\u0000b' } }), '"sub"'],
  ['of a subject that is long', () => ({ claims: { sub: 's'.repeat(256) } }), '"sub"'],
  ['of a subject that is no text', () => ({ claims: { sub: { a: 1 } } }), '"sub"'],
  ['of 9 kB', () => ({ claims: { x: 'x'.repeat(9_000) } }), '8 KiB'],
])('a token %s is refused on every kind of route', async (_what, forged, reason) => {
  const token = await forge(forged());
  for (const [method, path] of [
    ['GET', '/api/v1/users/whoami'],
    ['GET', '/api/v1/runs'],
    ['POST', '/api/v1/mcp/streamable'],
    ['GET', '/v1/models'],
  ] as const) {
    const { status, code, answered, json } = await callWith(token, method, path);
    expect([path, status, code]).toEqual([path, 401, 'token_invalid']);
    expect(answered.get('www-authenticate')).toContain('Bearer error="invalid_token"');
    expect(JSON.stringify(json).replaceAll('\\', '')).toContain(reason);
  }
});

const publicJwk = (key: KeyObject) => createPublicKey(key).export({ format: 'jwk' });

test('the public key of the issuer is no secret: an HMAC by it is refused', async () => {
  const publicKey = createPublicKey((await issuer.key()).privateKey);
  for (const secret of [
    publicKey.export({ format: 'pem', type: 'spki' }),
    publicKey.export({ format: 'der', type: 'spki' }),
    JSON.stringify(publicKey.export({ format: 'jwk' })),
  ])
    for (const [alg, hash] of [
      ['HS256', 'sha256'],
      ['HS512', 'sha512'],
    ] as const) {
      const signature = (input: string) => createHmac(hash, secret).update(input).digest('base64url');
      const answer = await callWith(await forge({ header: { alg }, signature }));
      expect([answer.status, answer.code]).toEqual([401, 'token_invalid']);
    }
});

test('a token of a thousand levels, and texts that are no token, are refused', async () => {
  const { kid } = await issuer.key();
  const header = base64({ alg: 'RS256', kid });
  for (const payload of [deep(1_000), '[]', 'null', '"x"', '{', `{"iss":${deep(500)}}`]) {
    const token = `${header}.${Buffer.from(payload).toString('base64url')}.AAAA`;
    expect(await callWith(token)).toMatchObject({ status: 401, code: 'token_invalid' });
  }
  const good = await issuer.programToken('builder', SECRET);
  for (const token of [`${good}x`, `${good}.${good}`, good.slice(0, -4), `${good}, Bearer ${good}`])
    expect(await callWith(token)).toMatchObject({ status: 401, code: 'token_invalid' });
});

test('a clock that differs by less than half a minute does not refuse a token', async () => {
  const late = await forge({ claims: { exp: seconds() - 20, jti: 'late' } });
  const early = await forge({ claims: { nbf: seconds() + 20, iat: seconds() + 20, jti: 'early' } });
  for (const token of [late, early]) expect((await callWith(token)).status).toBe(200);
});

test('a key of the API counts before a token, and works while the issuer is away', async () => {
  await issuer.fail();
  try {
    const { key } = { key: { 'x-api-key': 'sk-wrong', authorization: `Bearer ${await forge({})}` } };
    const run = await gateway.call('GET', '/v1/models', undefined, key);
    expect([run.status, run.headers.get('x-error-code')]).toEqual([403, 'key_invalid']);
    expect((await gateway.call('GET', '/api/v1/flows/')).status).toBe(200);
  } finally {
    await issuer.recover();
  }
});
