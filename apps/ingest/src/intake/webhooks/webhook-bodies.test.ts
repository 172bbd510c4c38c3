import { createHmac } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { LimitStore } from '@millrace/runs';
import { forAllTests } from '@millrace/testing';
import { signWebhook } from '../../testing/sign-webhook';
import { openTestIngest } from '../../testing/test-ingest';

const ingest = forAllTests(() =>
  openTestIngest({
    settings: { MILLRACE_MAXIMUM_BODY_BYTES: 131_072 },
    limits: { bodyMembers: 20 },
  }),
);
beforeAll(async () => {
  const secret = { name: 'SECRET', value: 'secret', type: 'Credential', defaultFields: [] };
  await ingest.variables.create(ingest.userId, secret);
  const open = { webhookAuth: 'off' } as const;
  await ingest.newFlow('plain', open);
  await ingest.newFlow('form', { ...open, webhook: { form: 'json' } });
  await ingest.newFlow('all', { ...open, webhook: { pass: ['headers', 'query'] } });
  const stamp = { scheme: 'hmac', header: 'X-Stamp', secrets: ['SECRET'] } as const;
  await ingest.newFlow('stamped', { webhook: { pass: ['headers', 'query'], signature: stamp } });
  const signature = { scheme: 'slack', secrets: ['SECRET'] } as const;
  await ingest.newFlow('signed', { webhook: { form: 'json', signature } });
}, 60_000);

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const GZIP = { 'content-type': 'application/json', 'content-encoding': 'gzip' };

/** Posts a body; resolves to the answer and to what the Webhook component of the run receives. */
async function post(flow: string, body: NonNullable<RequestInit['body']>, headers: Record<string, string>) {
  const answer = await fetch(`${ingest.url}/${flow}`, { method: 'POST', body, headers });
  const { run_id: id, detail } = (await answer.json()) as { run_id?: string; detail?: string };
  const run = id === undefined ? null : await ingest.runs.find(ingest.userId, id);
  const code = answer.headers.get('x-error-code');
  return { status: answer.status, code, detail, payload: run?.request?.webhookPayload };
}

/** A slash command in Slack's documentation. */
const command =
  'token=gIkuvaNzQIHg97ATvDxqgjtO&team_id=T0001&team_domain=example&enterprise_id=E0001&enterprise_name=Globular%20Construct%20Inc&channel_id=C2147483705&channel_name=test&user_id=U2147483697&user_name=Steve&command=/weather&text=94070&response_url=https://hooks.slack.com/commands/1234/5678&trigger_id=13345224609.738474920.8088930838d88f008e0&api_app_id=A123456';

test('a form is the JSON object of its fields where the flow has the setting', async () => {
  const { status, payload } = await post('form', command, FORM);
  expect(status).toBe(202);
  expect(JSON.parse(payload ?? '')).toMatchObject({
    enterprise_name: 'Globular Construct Inc',
    command: '/weather',
    text: '94070',
    response_url: 'https://hooks.slack.com/commands/1234/5678',
  });
});

test.each([
  ['a=1&b=two', '{"a":"1","b":"two"}'],
  ['a=1&b=2&a=3&a=', '{"a":["1","3",""],"b":"2"}'],
  ['a&&b=c=d&', '{"a":"","b":"c=d"}'],
  ['na%C3%AFve+name=%2B1+415', '{"naïve name":"+1 415"}'],
  ['__proto__=1', '{"__proto__":"1"}'],
])('the form %s is %s', async (body, payload) => {
  const headers = { 'content-type': 'Application/X-WWW-Form-URLEncoded; charset=UTF-8' };
  expect(await post('form', body, headers)).toMatchObject({ status: 202, payload });
});

test.each([
  ['a raw line break and a tab', '{"a":"1\n2\r\n","b\t":["x\ty\\" "]}', { a: '1\n2\r\n', 'b\t': ['x\ty" '] }],
  ['a byte order mark', '\ufeff{"a":1}', { a: 1 }],
  ['line breaks between members', '{\n\t"a":\r\n1}', { a: 1 }],
])('JSON with %s is read as JSON', async (_what, body, value) => {
  const { payload } = await post('plain', body, { 'content-type': 'application/json' });
  expect(JSON.parse(payload ?? '')).toEqual(value);
});

test('a text that is no JSON keeps its line breaks', async () => {
  const text = '{"a" b\n"c\td"}';
  expect(await post('plain', text, {})).toMatchObject({ payload: text });
});

test('JSON that exceeds the limit of a body with its escapes stays text', async () => {
  const text = `["${'\u0001'.repeat(30_000)}"]`;
  expect(await post('plain', text, {})).toMatchObject({ status: 202, payload: text });
  const quotes = `\n"${'\\"'.repeat(65_000)}`;
  expect(await post('plain', quotes, {})).toMatchObject({ status: 202, payload: quotes });
});

test('a flow can take the headers and the query of a webhook, without those that are secrets', async () => {
  const headers = {
    'x-github-event': 'push',
    authorization: 'Bearer x',
    'x-api-key': 'sk-x',
    cookie: 'c=1',
    'x-gitlab-token': 's',
    'content-type': 'application/json',
    'x-city': Buffer.from('Köln').toString('latin1'),
  };
  const sent = async (query: string, body: string) => {
    const { status, payload = '' } = await post(`all?${query}`, body, headers);
    const { _headers, ...others } = JSON.parse(payload) as Record<string, Record<string, unknown>>;
    expect(status).toBe(202);
    expect(_headers).toMatchObject({ 'x-github-event': 'push', 'x-city': 'Köln' });
    expect(JSON.stringify(_headers)).not.toMatch(/Bearer|sk-x|c=1|gitlab/);
    return { payload, others };
  };
  const query = 'a=1&a=2&b=%C3%A9&x-api-key=sk-x&access_token=t';
  const taken = { a: ['1', '2'], b: 'é' };
  expect((await sent(query, '{"n":1,"_query":"forged"}')).others).toEqual({ n: 1, _query: taken });
  expect((await sent(query, '{"n":12345678901234567890}')).payload).toContain('12345678901234567890');
  expect((await sent(query, ' { } ')).others).toEqual({ _query: taken });
  expect((await sent(query, '[1]')).others).toEqual({ payload: [1], _query: taken });
  expect((await sent(query, 'text')).others).toEqual({ payload: 'text', _query: taken });
  expect((await sent(query, '')).others).toEqual({ _query: taken });
  expect(await post('all?a=%00', '{}', {})).toMatchObject({
    status: 400,
    detail: 'The query contains a NUL character.',
  });
  expect(await post('plain?a=1', '', {})).toMatchObject({ status: 400, code: 'invalid_value' });
});

test('a flow does not take what can be a secret by a word of its name, nor its signature', async () => {
  const secret = ['key', 'sig', 'x-functions-key', 'auth', 'x-auth', 'pass', 'pwd', 'jwt', 'session'];
  secret.push('access_key', 'hmac', 'x-shopify-hmac-sha256', 'code');
  const names = [...secret, 'keyword', 'author', 'country-code', 'x-event-key', 'idempotency-key'];
  const body = '{}';
  const digest = createHmac('sha256', 'secret').update(body).digest('hex');
  const fields = Object.fromEntries(names.map((name) => [name, 'v']));
  const query = new URLSearchParams({ ...fields, accessKey: 'v', 'X-Amz-Sig': 'v' });
  const { status, payload } = await post(`stamped?${query}`, body, { ...fields, 'x-stamp': digest });
  expect(status).toBe(202);
  const taken = JSON.parse(payload ?? '') as Record<'_headers' | '_query', object>;
  const passed = ['keyword', 'author', 'country-code', 'x-event-key', 'idempotency-key'];
  expect(Object.keys(taken._query)).toEqual(passed);
  const sent = Object.keys(taken._headers);
  expect(sent.filter((name) => names.includes(name) || name === 'x-stamp')).toEqual(passed);
});

test('senders who ask before they register an address are answered', async () => {
  const ask = (method: string, headers: Record<string, string> = {}) =>
    fetch(`${ingest.url}/plain`, { method, headers });
  expect((await ask('HEAD')).status).toBe(200);
  expect((await ask('OPTIONS')).status).toBe(405);
  const origin = { 'webhook-request-origin': 'events.example.com' };
  const consent = await ask('OPTIONS', { ...origin, 'webhook-request-rate': '120' });
  expect([consent.status, Object.fromEntries(consent.headers)]).toMatchObject([
    200,
    { 'webhook-allowed-origin': 'events.example.com', 'webhook-allowed-rate': '*', allow: 'POST' },
  ]);
  expect((await ask('OPTIONS', origin)).headers.has('webhook-allowed-rate')).toBe(false);
  expect((await ask('OPTIONS', { 'webhook-request-origin': '<script>' })).status).toBe(400);
});

test('a form is text without the setting, and other text is no form', async () => {
  expect(await post('plain', 'a=1&b=two', FORM)).toMatchObject({ payload: 'a=1&b=two' });
  expect(await post('form', 'a=1', { 'content-type': 'text/plain' })).toMatchObject({ payload: 'a=1' });
});

test('the signature of a form is over its bytes', async () => {
  const timestamp = Math.floor(Date.now() / 1_000);
  const sign = (secret: string) =>
    signWebhook({ scheme: 'slack', secret, body: command, id: 'x', timestamp });
  expect(await post('signed', command, { ...FORM, ...sign('secret') })).toMatchObject({ status: 202 });
  expect(await post('signed', command, { ...FORM, ...sign('other') })).toMatchObject({ status: 401 });
});

test('bodies without a valid signature use up nothing of the bytes of a day', async () => {
  const id = await ingest.newFlow('few-bytes', {
    webhook: { signature: { scheme: 'hmac', header: 'X-Stamp', secrets: ['SECRET'] } },
  });
  const { database, userId: ownerId } = ingest;
  await new LimitStore({ database }).replace({ scope: 'flow', id, ownerId }, { bodyBytesPerDay: 20 });
  const body = '{"text":"12345"}';
  const send = (secret: string) =>
    post('few-bytes', body, { 'x-stamp': createHmac('sha256', secret).update(body).digest('hex') });
  for (let sent = 0; sent < 3; sent += 1) expect(await send('other')).toMatchObject({ status: 401 });
  expect(await send('secret')).toMatchObject({ status: 202 });
  expect(await send('secret')).toMatchObject({ status: 429, code: 'rate_limited' });
});

test.each([
  ['an invalid escape', 'a=%zz', 400, 'undecodable_body', 'The form contains an invalid escape.'],
  ['bytes that are not UTF-8', 'a=%ff', 400, 'undecodable_body', 'The form contains an invalid escape.'],
  ['NUL', 'a=%00', 400, 'invalid_value', 'The body contains a NUL character.'],
  ['too many fields', 'a&'.repeat(21), 413, 'body_too_large', 'The body has more than 20 members.'],
])('refuses a form with %s', async (_what, body, status, code, detail) => {
  expect(await post('form', body, FORM)).toEqual({ status, code, detail, payload: undefined });
});

test('a form whose JSON text exceeds the limit is refused', async () => {
  const body = `a=${'\u0001'.repeat(60_000)}`;
  expect(await post('form', body, FORM)).toMatchObject({ status: 413, code: 'body_too_large' });
});

test.each([
  ['gzip', gzipSync('{"a":1}')],
  ['X-GZIP', Buffer.concat([gzipSync('{"a"'), gzipSync(':1}')])],
])('a body with the encoding %s is decompressed', async (encoding, body) => {
  const headers = { ...GZIP, 'content-encoding': encoding };
  expect(await post('plain', body, headers)).toMatchObject({ status: 202, payload: '{"a":1}' });
});

test('a compressed form is the object of its fields', async () => {
  const headers = { ...FORM, 'content-encoding': 'gzip' };
  expect(await post('form', gzipSync('a=1'), headers)).toMatchObject({ status: 202, payload: '{"a":"1"}' });
});

test('the signature of a compressed body is over its compressed bytes', async () => {
  const body = gzipSync('{"a":1}');
  const timestamp = Math.floor(Date.now() / 1_000);
  const headers = signWebhook({ scheme: 'slack', secret: 'secret', body, id: 'x', timestamp });
  expect(await post('signed', body, { ...GZIP, ...headers })).toMatchObject({ payload: '{"a":1}' });
});

test.each([
  ['no gzip', '{}', 400, 'undecodable_body'],
  ['cut off', gzipSync('{"a":1}').subarray(0, -4), 400, 'undecodable_body'],
  ['compressed but empty', gzipSync(''), 400, 'invalid_value'],
  ['a content above the limit', gzipSync(Buffer.alloc(100_000_000, 'a')), 413, 'body_too_large'],
  ['JSON of too many members', gzipSync(`[${'0,'.repeat(30)}0]`), 413, 'body_too_large'],
])('refuses a body of gzip that is %s', async (_what, body, status, code) => {
  expect(await post('plain', body, GZIP)).toMatchObject({ status, code });
});
