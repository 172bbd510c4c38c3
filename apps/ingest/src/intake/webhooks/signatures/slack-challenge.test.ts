import type { WebhookSignature } from '@millrace/flow';
import { forAllTests } from '@millrace/testing';
import { signWebhook } from '../../../testing/sign-webhook';
import { openTestIngest } from '../../../testing/test-ingest';

const challenge = '3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P';
const verification = { token: 'Jhj5dZrVaK7ZwHHjRyZWjbDl', challenge, type: 'url_verification' };
const now = () => Math.floor(Date.now() / 1_000);

const ingest = forAllTests(openTestIngest);
beforeAll(async () => {
  for (const scheme of ['slack', 'github'] as const) {
    const variable = { name: scheme, value: `${scheme} secret`, type: 'Credential', defaultFields: [] };
    await ingest.variables.create(ingest.userId, variable);
    await ingest.newFlow(`by-${scheme}`, { webhook: { signature: { scheme, secrets: [scheme] } } });
  }
  await ingest.newFlow('open', { webhookAuth: 'off' });
}, 60_000);

interface Sending {
  readonly flow?: string;
  readonly scheme?: WebhookSignature['scheme'];
  readonly secret?: string;
  readonly timestamp?: number;
}

async function send(event: unknown, sending: Sending = {}) {
  const { scheme = 'slack', flow = `by-${scheme}`, secret = `${scheme} secret`, timestamp = now() } = sending;
  const body = JSON.stringify(event);
  const headers = signWebhook({ scheme, secret, body, id: 'x', timestamp });
  const response = await fetch(`${ingest.url}/${flow}`, { method: 'POST', body, headers });
  const { rowCount: runs } = await ingest.database.query({ text: 'DELETE FROM runs' });
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    text: await response.text(),
    runs,
  };
}

test('a signed url_verification is answered with its challenge and starts no run', async () => {
  const answer = { status: 200, type: 'application/json', text: JSON.stringify({ challenge }), runs: 0 };
  expect(await send(verification)).toEqual(answer);
  expect(await send(verification)).toEqual(answer);
});

test.each([
  ['signed with another secret', { secret: 'other' }],
  ['signed too long ago', { timestamp: now() - 1_000 }],
  ['not signed by Slack', { scheme: 'github', flow: 'by-slack' }],
] as const)('refuses a url_verification that is %s, like any other event', async (_what, sending) => {
  const refused = { status: 401, text: '{"detail":"Invalid webhook signature"}', runs: 0 };
  expect(await send(verification, sending)).toMatchObject(refused);
});

test.each([
  ['of a flow with another scheme', verification, { scheme: 'github' }],
  ['of a flow without a signature', verification, { flow: 'open' }],
  ['that contains the word only in its text', { type: 'event_callback', text: 'url_verification' }, {}],
  ['that is an array with a url_verification', [verification], {}],
] as const)('an event %s starts a run', async (_what, event, sending) => {
  expect(await send(event, sending)).toMatchObject({ status: 202, runs: 1 });
});

test.each([
  ['without a challenge', undefined],
  ['with an empty challenge', ''],
  ['with a challenge that is not a string', { a: 1 }],
  ['with a challenge of 1,025 characters', 'c'.repeat(1_025)],
])('refuses a url_verification %s', async (_what, bad) => {
  const text = 'The challenge of a url_verification must be a string of 1 to 1024 characters.';
  const refused = { status: 400, text: JSON.stringify({ detail: text }), runs: 0 };
  expect(await send({ ...verification, challenge: bad })).toMatchObject(refused);
});
