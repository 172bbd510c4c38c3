import { request as send } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { WebhookSignature } from '@millrace/flow';
import { Encryption } from '@millrace/runs';
import { forAllTests } from '@millrace/testing';
import { signWebhook } from '../../../testing/sign-webhook';
import { openTestIngest } from '../../../testing/test-ingest';
import { checkSignature } from './check-signature';

type Scheme = WebhookSignature['scheme'];

const schemes: readonly Scheme[] = ['standard-webhooks', 'github', 'stripe', 'slack', 'hmac'];
const timestampedSchemes: readonly Scheme[] = ['standard-webhooks', 'stripe', 'slack'];
const secretOf = (scheme: Scheme, text: string) =>
  scheme === 'standard-webhooks' ? `whsec_${Buffer.from(text).toString('base64')}` : text;
const now = () => Math.floor(Date.now() / 1_000);

const ingest = forAllTests(openTestIngest);
beforeAll(async () => {
  for (const scheme of schemes) {
    for (const name of ['old', 'new']) {
      const value = secretOf(scheme, `${scheme} ${name}`);
      await ingest.variables.create(ingest.userId, {
        name: `${scheme}-${name}`,
        value,
        type: 'Credential',
        defaultFields: [],
      });
    }
    const secrets = [`${scheme}-new`, `${scheme}-old`];
    await ingest.newFlow(`by-${scheme}`, { webhook: { signature: { scheme, secrets } } });
  }
}, 60_000);

/** Sends with Node's own client, which can send a header twice. */
async function post(
  flow: string,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string | string[]>>,
): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const request = send(`${ingest.url}/${flow}`, { method: 'POST', headers }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    request.on('error', reject);
    request.end(body);
  });
}

async function countRuns(): Promise<number> {
  const { rows } = await ingest.database.query<{ count: number }>({
    text: 'SELECT count(*)::int AS count FROM runs',
  });
  return rows[0]?.count ?? 0;
}

interface Vector {
  readonly body?: string;
  readonly secret?: 'old' | 'new' | 'foreign';
  readonly age?: number;
  readonly change?: (headers: Record<string, string>) => Record<string, string | string[]>;
  readonly statuses: readonly number[];
  readonly schemes?: readonly Scheme[];
}

/** Changes the header that contains the signature. */
const signature = (change: (value: string) => string | string[]) => (headers: Record<string, string>) => {
  const [name = '', value = ''] = Object.entries(headers)[0] ?? [];
  return { ...headers, [name]: change(value) };
};
const otherCase = (text: string) =>
  text.replace(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
/** Changes the second to last character of the digest; in base64 it encodes only bits of the digest, too. */
const oneBit = (text: string) => {
  const at = text.length - 3;
  return `${text.slice(0, at)}${text[at] === 'a' ? 'b' : 'a'}${text.slice(at + 1)}`;
};

const vectors: Readonly<Record<string, Vector>> = {
  good: { statuses: [202] },
  'signed with the previous secret': { secret: 'old', statuses: [202] },
  'signed with another secret': { secret: 'foreign', statuses: [401] },
  'with one character changed': { change: signature(oneBit), statuses: [401] },
  'in the wrong case': {
    change: signature(otherCase),
    statuses: [401],
    schemes: ['standard-webhooks', 'github', 'stripe', 'slack'],
  },
  truncated: { change: signature((value) => value.slice(0, -2)), statuses: [401] },
  'longer than a digest': { change: signature((value) => `${value}00`), statuses: [401] },
  empty: { change: signature(() => ''), statuses: [401] },
  'without a signature': { change: () => ({}), statuses: [401] },
  'sent twice': { change: signature((value) => [value, value]), statuses: [401] },
  'from 301 s ago': { age: 302, statuses: [401], schemes: timestampedSchemes },
  'from 301 s in the future': { age: -302, statuses: [401], schemes: timestampedSchemes },
  'from 290 s ago': { age: 290, statuses: [202], schemes: timestampedSchemes },
  'without a timestamp': {
    change: (headers) =>
      Object.fromEntries(
        Object.entries(headers)
          .filter(([name]) => !name.endsWith('timestamp'))
          .map(([name, value]) => [name, value.replace(/^t=\d+,/, '')]),
      ),
    statuses: [401],
    schemes: timestampedSchemes,
  },
  'over a body with emoji': { body: '{"text":"🐎 žš"}', statuses: [202] },
  'over a body with CRLF': { body: '{\r\n "a": 1.0\r\n}\r\n', statuses: [202] },
  'of an unknown future version only': {
    change: signature((value) => value.replace(/^v1,/, 'v1a,').replace('v1=', 'v2=').replace('v0=', 'v9=')),
    statuses: [401],
    schemes: ['standard-webhooks', 'stripe', 'slack'],
  },
};

const cases = Object.entries(vectors).flatMap(([what, vector]) =>
  (vector.schemes ?? schemes).map((scheme) => ({ what, scheme, vector })),
);

let count = 0;

test.each(schemes)('%s: an empty secret signs nothing', (scheme) => {
  const [secret, body] = [secretOf(scheme, ''), '{}'];
  const headers = signWebhook({ scheme, secret, body, id: 'delivery', timestamp: now() });
  const request = { headers, body: Buffer.from(body) };
  expect(checkSignature(request, { scheme, secrets: [] }, [secret], Date.now())).toBeNull();
});

test.each(cases)('S1, S3: $scheme: a signature $what', async ({ scheme, vector }) => {
  const { body = '{"a":1}', secret = 'new', age = 0, change = (headers) => headers, statuses } = vector;
  count += 1;
  const headers = signWebhook({
    scheme,
    secret: secretOf(scheme, `${scheme} ${secret}`),
    body,
    id: `delivery-${count}`,
    timestamp: now() - age,
  });
  const before = await countRuns();
  const { status, text } = await post(`by-${scheme}`, body, change(headers));
  expect(statuses).toContain(status);
  if (status === 401) expect(JSON.parse(text)).toEqual({ detail: 'Invalid webhook signature' });
  expect(await countRuns()).toBe(before + (status === 202 ? 1 : 0));
});

test.each(schemes)('S1: %s: refuses a body that was changed or compressed after signing', async (scheme) => {
  const sign = (body: string | Uint8Array) =>
    signWebhook({
      scheme,
      secret: secretOf(scheme, `${scheme} new`),
      body,
      id: 'changed',
      timestamp: now(),
    });
  expect((await post(`by-${scheme}`, '{"a": 1}', sign('{"a":1}'))).status).toBe(401);
  const zipped = gzipSync('{"a":1}');
  const encoding = { 'content-encoding': 'gzip' };
  const compressed = await post(`by-${scheme}`, zipped, { ...sign('{"a":1}'), ...encoding });
  expect(compressed.status).toBe(401);
  // What counts are the bytes that were sent.
  const signed = await post(`by-${scheme}`, zipped, { ...sign(zipped), ...encoding });
  expect(signed.status).toBe(202);
});

test('an API key does not replace a signature', async () => {
  const { key } = await ingest.apiKeys.create(ingest.userId, { name: null, expiresAt: null });
  expect((await post('by-github', '{}', { 'x-api-key': key })).status).toBe(401);
});

test('accepts a match among ten listed signatures, and the header names of Svix', async () => {
  const scheme = 'standard-webhooks';
  const secret = secretOf(scheme, `${scheme} new`);
  const good = signWebhook({ scheme, secret, body: '{}', id: 'several', timestamp: now() });
  const wrong = `v1,${Buffer.alloc(32).toString('base64')}`;
  const listed = (wrongOnes: number) =>
    [...Array.from({ length: wrongOnes }, () => wrong), good['webhook-signature']].join(' ');
  const several = { ...good, 'webhook-signature': `v1a,zz ${listed(9)}` };
  expect((await post(`by-${scheme}`, '{}', several)).status).toBe(202);
  const tooMany = { ...good, 'webhook-signature': listed(10) };
  expect((await post(`by-${scheme}`, '{}', tooMany)).status).toBe(401);
  const renamed = Object.entries(good).map(([name, value]) => [name.replace('webhook', 'svix'), value]);
  expect((await post(`by-${scheme}`, '{}', Object.fromEntries(renamed))).status).toBe(202);
});

test('S3: a replayed delivery with another id is refused or resolves to the same run', async () => {
  const scheme = 'standard-webhooks';
  const secret = secretOf(scheme, `${scheme} new`);
  const headers = signWebhook({ scheme, secret, body: '{}', id: 'captured', timestamp: now() });
  expect((await post(`by-${scheme}`, '{}', { ...headers, 'webhook-id': 'edited' })).status).toBe(401);
  const [first, replayed] = [
    await post(`by-${scheme}`, '{}', headers),
    await post(`by-${scheme}`, '{}', { ...headers, 'svix-id': 'other', 'idempotency-key': 'other' }),
  ];
  expect(first.status).toBe(202);
  expect(replayed).toEqual(first);
});

test.each([
  ['stripe', '{"id":"evt_1Nabc","object":"event"}'],
  ['slack', '{"type":"event_callback","event_id":"Ev08MFMKH6"}'],
] as const)('S3: %s: runs an event once, however often it is delivered', async (scheme, body) => {
  const secret = secretOf(scheme, `${scheme} new`);
  const deliver = (timestamp: number, id: string) =>
    post(`by-${scheme}`, body, {
      ...signWebhook({ scheme, secret, body, id, timestamp }),
      'idempotency-key': id,
    });
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, index) => deliver(now() - index, String(index))),
  );
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(answers.every(({ status }) => status === 202)).toBe(true);
});

test('ignores the id in an unsigned body', async () => {
  await ingest.newFlow('unsigned', { webhookAuth: 'off' });
  const body = '{"id":"evt_1Nabc"}';
  const [first, second] = [await post('unsigned', body, {}), await post('unsigned', body, {})];
  expect(first.text).not.toBe(second.text);
});

test('a flow can configure the header that contains the delivery id', async () => {
  const settings = { webhookAuth: 'off', webhook: { deliveryIdHeader: 'X-Event-Key' } } as const;
  await ingest.newFlow('own-header', settings);
  await ingest.newFlow('own-header-too', settings);
  const other = await ingest.newUser('header-tenant');
  const foreign = await ingest.newFlow('own-header-foreign', settings, other);
  const headers = { 'x-event-key': 'event-1', 'idempotency-key': 'x' };
  const first = await post('own-header', '{}', headers);
  expect(await post('own-header', '{}', { ...headers, 'idempotency-key': 'y' })).toEqual(first);
  const elsewhere = await Promise.all(['own-header-too', foreign].map((flow) => post(flow, '{}', headers)));
  expect(new Set([first, ...elsewhere].map(({ text }) => text)).size).toBe(3);
});

test('a long delivery id identifies the delivery, too', async () => {
  await ingest.newFlow('long-id', { webhookAuth: 'off' });
  const id = 'x'.repeat(3_000);
  const first = await post('long-id', '{}', { 'idempotency-key': id });
  expect(await post('long-id', '{}', { 'idempotency-key': id })).toEqual(first);
  expect((await post('long-id', '{}', { 'idempotency-key': `${id}y` })).text).not.toBe(first.text);
});

test('a flow can configure the header of the signature and base64', async () => {
  const signed = {
    scheme: 'hmac',
    secrets: ['hmac-new'],
    header: 'X-Shop-Hmac',
    encoding: 'base64',
  } as const;
  await ingest.newFlow('shop', { webhook: { signature: signed } });
  const { 'x-signature': hex = '' } = signWebhook({
    scheme: 'hmac',
    secret: 'hmac new',
    body: '{}',
    id: '',
    timestamp: 0,
  });
  const base64 = Buffer.from(hex, 'hex').toString('base64');
  expect((await post('shop', '{}', { 'x-shop-hmac': base64 })).status).toBe(202);
  expect((await post('shop', '{}', { 'x-shop-hmac': hex })).status).toBe(401);
  expect((await post('by-hmac', '{}', { 'x-signature': `sha256=${hex.toUpperCase()}` })).status).toBe(202);
});

test('a changed secret takes effect as soon as its variable has changed', async () => {
  const { id } = await ingest.variables.create(ingest.userId, {
    name: 'rotating',
    value: 'before',
    type: 'Credential',
    defaultFields: [],
  });
  await ingest.newFlow('rotating', { webhook: { signature: { scheme: 'hmac', secrets: ['rotating'] } } });
  const signedWith = (secret: string) =>
    signWebhook({ scheme: 'hmac', secret, body: '{}', id: '', timestamp: 0 });
  expect((await post('rotating', '{}', signedWith('before'))).status).toBe(202);
  await ingest.variables.update(ingest.userId, id, { value: 'after' });
  await ingest.announce({ kind: 'variables-changed', userId: ingest.userId });
  let status = 0;
  for (let tries = 0; status !== 202 && tries < 200; tries += 1)
    ({ status } = await post('rotating', '{}', signedWith('after')));
  expect(status).toBe(202);
  expect((await post('rotating', '{}', signedWith('before'))).status).toBe(401);
});

test('a flow whose secret is missing refuses every request', async () => {
  await ingest.newFlow('no-secret', { webhook: { signature: { scheme: 'hmac', secrets: ['nowhere'] } } });
  const headers = signWebhook({ scheme: 'hmac', secret: '', body: '{}', id: '', timestamp: 0 });
  expect((await post('no-secret', '{}', headers)).status).toBe(401);
  const missing = 'variable of a webhook secret not found; signatures made with it will be refused';
  expect(ingest.logged(missing)).toContainEqual({ userId: ingest.userId, name: 'nowhere' });
});

/** As after a start with other keys than those that encrypted the variable. */
async function encryptWithALostKey(name: string): Promise<void> {
  await ingest.database.query({
    text: `UPDATE variables SET encrypted_value = $2 WHERE name = $1`,
    values: [name, Encryption.from(['1'.repeat(64)]).encrypt('secret')],
  });
}

test('a secret that no key decrypts is the fault of the operator, not an outage of the database', async () => {
  const newVariable = { value: 'secret', type: 'Credential', defaultFields: [] };
  for (const name of ['lost', 'kept']) await ingest.variables.create(ingest.userId, { name, ...newVariable });
  await encryptWithALostKey('lost');
  await ingest.newFlow('lost-secret', { webhook: { signature: { scheme: 'hmac', secrets: ['lost'] } } });
  await ingest.newFlow('half-lost', {
    webhook: { signature: { scheme: 'hmac', secrets: ['lost', 'kept'] } },
  });
  const headers = signWebhook({ scheme: 'hmac', secret: 'secret', body: '{}', id: '', timestamp: now() });
  const answer = await fetch(`${ingest.url}/lost-secret`, { method: 'POST', headers, body: '{}' });
  expect([answer.status, answer.headers.get('x-error-code')]).toEqual([500, 'encryption_failed']);
  expect(answer.headers.get('retry-after')).toBeNull();
  expect(await answer.json()).toEqual({ detail: expect.stringContaining('operator') });
  const unreadable = { userId: ingest.userId, name: 'lost', reason: expect.any(String) };
  expect(ingest.logged('variable of a webhook secret cannot be decrypted')).toContainEqual(unreadable);
  expect((await post('half-lost', '{}', headers)).status).toBe(202);
});
