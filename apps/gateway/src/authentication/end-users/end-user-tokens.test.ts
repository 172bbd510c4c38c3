import { sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openTestGateway, TEST_KEY } from '../../testing/test-gateway';
import type { TestGateway } from '../../testing/test-gateway';
import { startTestIssuer } from '../../testing/test-issuer';
import type { TestIssuer } from '../../testing/test-issuer';

const echo = JSON.parse(readFileSync(join(__dirname, '../../../../../examples/echo.json'), 'utf8')) as object;
let staff: TestIssuer;
let people: TestIssuer;
let gateway: TestGateway;
let flowId: string;
let key: string;
beforeAll(async () => {
  const options = { clients: [], groups: {} };
  [staff, people] = await Promise.all([startTestIssuer(options), startTestIssuer(options)]);
  const settings = [
    { name: 'staff', issuer: staff.url, audience: 'millrace', roles: { '*': 'run' } },
    { name: 'people', issuer: people.url, audience: 'millrace', end_user_claim: 'ext.person' },
  ];
  gateway = await openTestGateway({
    environment: {
      MILLRACE_ISSUERS: JSON.stringify(settings),
    },
  });
  flowId = await gateway.createFlow({ ...echo, endpoint_name: 'talk' });
  key = await keyWith({ end_users: 'token' });
}, 120_000);
afterAll(() => Promise.all([gateway?.close(), staff?.stop(), people?.stop()]));

async function keyWith(bounds: object): Promise<string> {
  const { json } = await gateway.call('POST', '/api/v1/api_key/', bounds);
  return (json as { api_key: string }).api_key;
}

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token as an issuer signs it, with these claims. */
async function tokenOf(issuer: TestIssuer, claims: object, keyOf = issuer): Promise<string> {
  const { privateKey } = await keyOf.key();
  const { kid } = await issuer.key();
  const now = Math.floor(Date.now() / 1_000);
  const payload = {
    iss: issuer.url,
    sub: 'subject',
    aud: 'millrace',
    iat: now,
    exp: now + 60,
    ...claims,
  };
  const input = `${base64({ alg: 'RS256', typ: 'at+jwt', kid })}.${base64(payload)}`;
  return `${input}.${sign('RSA-SHA256', Buffer.from(input), privateKey).toString('base64url')}`;
}

/** Runs the flow by each kind of route; resolves to the status, code and session of each. */
function runs(headers: Record<string, string>) {
  const bodies = {
    '/api/v1/run/talk': { session_id: 's' },
    '/api/v2/workflows': { flow_id: flowId, input_value: 'hi', session_id: 's' },
  };
  return Promise.all(
    Object.entries(bodies).map(async ([path, body]) => {
      const {
        status,
        json,
        headers: answered,
      } = await gateway.call('POST', path, body, {
        'x-api-key': key,
        ...headers,
      });
      const { session_id: session } = json as { session_id?: string };
      return [status, session ?? answered.get('x-error-code')];
    }),
  );
}
const twice = <Value>(value: Value) => [value, value];
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

test('the token beside a key names the end user', async () => {
  for (const person of ['ann', 7]) {
    const token = await tokenOf(people, { ext: { person } });
    for (let time = 0; time < 2; time += 1)
      expect(await runs(bearer(token))).toEqual(twice([200, `${person}::s`]));
  }
});

test('without a token that names one, the header does not count', async () => {
  const headers = { 'x-end-user-id': 'bob' };
  expect(await runs(headers)).toEqual(twice([401, 'end_user_missing']));
  const unnamed = await tokenOf(people, { ext: {} });
  expect(await runs({ ...headers, ...bearer(unnamed) })).toEqual(twice([401, 'end_user_missing']));
  const named = await tokenOf(people, { ext: { person: 'ann' } });
  expect(await runs({ ...headers, ...bearer(named) })).toEqual(twice([200, 'ann::s']));
});

test('beside another key, the token makes no difference', async () => {
  const token = await tokenOf(people, { ext: { person: 'ann' } });
  expect(await runs({ ...bearer(token), 'x-api-key': TEST_KEY })).toEqual(twice([200, 's']));
  const byHeader = { 'x-api-key': await keyWith({ end_users: 'header' }) };
  expect(await runs({ ...bearer(token), ...byHeader })).toEqual(twice([401, 'end_user_missing']));
});

test.each([
  ['that has expired', () => tokenOf(people, { ext: { person: 'ann' }, exp: 1 }), 401, 'token_invalid'],
  ['signed by another', () => tokenOf(people, { ext: { person: 'ann' } }, staff), 401, 'token_invalid'],
  ['of another audience', () => tokenOf(people, { ext: { person: 'a' }, aud: 'x' }), 401, 'token_invalid'],
  ['with a hostile name', () => tokenOf(people, { ext: { person: 'a::b' } }), 400, 'end_user_invalid'],
  ['with a list', () => tokenOf(people, { ext: { person: ['a'] } }), 400, 'end_user_invalid'],
])('a token %s is refused', async (_what, make, status, code) => {
  expect(await runs(bearer(await make()))).toEqual(twice([status, code]));
});

test('a token of an issuer without the claim names no end user', async () => {
  const headers = bearer(await tokenOf(staff, { ext: { person: 'ann' } }));
  const given = { 'x-api-key': key, ...headers };
  const { headers: answered } = await gateway.call('POST', '/api/v1/run/talk', {}, given);
  expect(answered.get('x-error-code')).toBe('end_user_missing');
});

test('a token that only names end users is no credential', async () => {
  const token = await tokenOf(people, { ext: { person: 'ann' } });
  const answers = await runs({ ...bearer(token), 'x-api-key': '' });
  expect(answers).toEqual(twice([403, 'permission_denied']));
  expect((await runs({ ...bearer(token), 'x-api-key': `${key}x` }))[0]).toEqual([403, 'key_invalid']);
});
