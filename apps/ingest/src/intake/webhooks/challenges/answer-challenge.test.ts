import { createHmac } from 'node:crypto';
import { request as send } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { text as textOf } from 'node:stream/consumers';
import { forAllTests } from '@millrace/testing';
import { openTestIngest } from '../../../testing/test-ingest';
import type { TestIngest } from '../../../testing/test-ingest';

let key: string;

const ingest = forAllTests(openTestIngest);
beforeAll(async () => {
  for (const [name, value] of Object.entries({
    META_TOKEN: 'meatyhamhock',
    META_TOKEN_BEFORE: 'older',
    X_SECRET: 'consumer secret',
    X_SECRET_BEFORE: 'older consumer secret',
  }))
    await ingest.variables.create(ingest.userId, { name, value, type: 'Credential', defaultFields: [] });
  key = (await ingest.apiKeys.create(ingest.userId, { name: null, expiresAt: null })).key;
  const newFlow = (name: string, challenge: Challenge, webhookAuth?: 'off') =>
    ingest.newFlow(name, { webhook: { challenge }, ...(webhookAuth === undefined ? {} : { webhookAuth }) });
  await newFlow('meta', { scheme: 'meta', secrets: ['META_TOKEN', 'META_TOKEN_BEFORE'] });
  await newFlow('meta-without-secret', { scheme: 'meta', secrets: ['MISSING'] });
  await newFlow('x', { scheme: 'x', secrets: ['MISSING', 'X_SECRET', 'X_SECRET_BEFORE'] });
  await newFlow('x-without-secret', { scheme: 'x', secrets: ['MISSING'] });
  await newFlow('graph', { scheme: 'microsoft-graph' });
  await newFlow('graph-open', { scheme: 'microsoft-graph' }, 'off');
  await ingest.newFlow('plain', { webhookAuth: 'off' });
}, 60_000);

type Challenge = NonNullable<NonNullable<Parameters<TestIngest['newFlow']>[1]['webhook']>['challenge']>;

/** Sends a request with exactly this target, which `fetch` would change, and without a body. */
async function ask(target: string, method = 'GET') {
  const { hostname, port, pathname } = new URL(ingest.url);
  const sent = send({ hostname, port, method, path: `${pathname}/${target}` }).end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const text = await textOf(answer);
  const { rowCount: runs } = await ingest.database.query({ text: 'DELETE FROM runs' });
  const { statusCode: status, headers } = answer;
  return {
    status,
    type: headers['content-type'],
    code: headers['x-error-code'],
    allow: headers.allow,
    text,
    runs,
    headers,
  };
}

/** The request in Meta's documentation of webhooks. */
const meta = 'hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=meatyhamhock';
/** The token in Microsoft's documentation of change notifications: text with spaces, percent-encoded. */
const graph =
  'validationToken=Validation%3a+Testing+client+application+reachability+for+subscription+Request-Id%3a+522a8e7e-096a-494c-aaf1-ac0dcfca45b7';
const graphText =
  'Validation: Testing client application reachability for subscription Request-Id: 522a8e7e-096a-494c-aaf1-ac0dcfca45b7';
const notAllowed = { status: 405, code: 'method_not_allowed', allow: 'POST', runs: 0 };

test('Meta gets its challenge when the verify token matches, also one of before a rotation', async () => {
  const answer = { status: 200, type: 'text/plain', text: '1158201444', runs: 0 };
  expect(await ask(`meta?${meta}`)).toMatchObject(answer);
  expect(await ask(`meta?${meta.replace('meatyhamhock', 'older')}`)).toMatchObject(answer);
  const verified = expect.objectContaining({ userId: ingest.userId, sender: 'meta' });
  expect(ingest.logged('webhook address verified')).toEqual([verified, verified]);
  expect(await ingest.metrics.prometheusText()).toContain('millrace_webhook_verifications_total 2');
});

test.each([
  ['another verify token', 'meta', meta.replace('meatyhamhock', 'other')],
  ['no verify token', 'meta', 'hub.mode=subscribe&hub.challenge=1'],
  ['a flow whose variable does not exist', 'meta-without-secret', meta],
])('refuses a challenge of Meta with %s', async (_what, flow, query) => {
  const detail = 'The address of the webhook cannot be verified';
  const answer = { status: 403, code: 'challenge_refused', text: JSON.stringify({ detail }), runs: 0 };
  expect(await ask(`${flow}?${query}`)).toMatchObject(answer);
});

test.each([
  ['another mode', meta.replace('subscribe', 'unsubscribe'), 'hub.mode must be "subscribe".'],
  ['an empty challenge', meta.replace('1158201444', ''), 'hub.challenge must have 1 to 1024 characters.'],
])('a challenge of Meta with %s is invalid', async (_what, query, detail) => {
  const answer = { status: 400, code: 'invalid_value', text: JSON.stringify({ detail }), runs: 0 };
  expect(await ask(`meta?${query}`)).toMatchObject(answer);
});

test.each([
  ['in a POST', 'POST', `graph?x-api-key=KEY&${graph}`],
  ['in a GET', 'GET', `graph?x-api-key=KEY&${graph}`],
  ['of a flow that needs no key', 'POST', `graph-open?${graph}`],
])('Microsoft Graph gets its validation token, %s', async (_how, method, target) => {
  const answer = await ask(target.replace('KEY', key), method);
  expect(answer).toMatchObject({ status: 200, type: 'text/plain', text: graphText, runs: 0 });
  expect(answer.headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'content-security-policy': expect.stringContaining('sandbox'),
  });
});

test.each(['GET', 'POST'])(
  'a validation of Microsoft Graph by %s needs the key of its events',
  async (method) => {
    expect(await ask(`graph?${graph}`, method)).toMatchObject({ status: 403, code: 'key_missing' });
    expect(await ask(`graph?x-api-key=sk-wrong&${graph}`, method)).toMatchObject({ code: 'key_invalid' });
  },
);

test('X gets its token signed with the first secret that exists', async () => {
  const answer = await ask('x?crc_token=challenge_string');
  const digest = createHmac('sha256', 'consumer secret').update('challenge_string').digest('base64');
  expect(answer).toMatchObject({ status: 200, type: 'application/json', runs: 0 });
  expect(JSON.parse(answer.text)).toEqual({ response_token: `sha256=${digest}` });
});

test('X gets nothing signed without a secret', async () => {
  expect(await ask('x-without-secret?crc_token=a')).toMatchObject({ status: 403, code: 'challenge_refused' });
});

test.each(['%7B%22a%22%3A1%7D', '', 'a%20b', '%5B1%5D', 'a'.repeat(513)])(
  'signs no token that could be the body of an event: %s',
  async (token) => {
    expect(await ask(`x?crc_token=${token}`)).toMatchObject({ status: 400, code: 'invalid_value' });
  },
);

test.each([
  ['without a challenge', 'meta'],
  ['with the challenge of another sender', 'x?hub.mode=subscribe&hub.challenge=1'],
  ['of a flow without the setting', `plain?${graph}`],
  ['of an unknown flow', `missing?${graph}`],
])('a GET %s has the same answer as before', async (_what, target) => {
  expect(await ask(target)).toMatchObject(notAllowed);
});

test('a POST with a validation token starts a run where the flow does not have the setting', async () => {
  const answer = await fetch(`${ingest.url}/plain?${graph}`, { method: 'POST', body: '{}' });
  expect(answer.status).toBe(202);
});
