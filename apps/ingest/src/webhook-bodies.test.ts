import { gzipSync } from 'node:zlib';
import { signWebhook } from './testing/sign-webhook';
import { openTestIngest } from './testing/test-ingest';
import type { TestIngest } from './testing/test-ingest';

let ingest: TestIngest;

beforeAll(async () => {
  ingest = await openTestIngest({ maximumBodyBytes: 131_072, maximumBodyMembers: 20 });
  const secret = { name: 'SECRET', value: 'secret', type: 'Credential', defaultFields: [] };
  await ingest.variables.create(ingest.userId, secret);
  const open = { webhookAuth: 'off' } as const;
  await ingest.newFlow('plain', open);
  await ingest.newFlow('form', { ...open, webhook: { form: 'json' } });
  const signature = { scheme: 'slack', secrets: ['SECRET'] } as const;
  await ingest.newFlow('signed', { webhook: { form: 'json', signature } });
}, 60_000);
afterAll(() => ingest.close());

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
