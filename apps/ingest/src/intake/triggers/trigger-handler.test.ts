import { createHmac } from 'node:crypto';
import { Encryption } from '@millrace/runs';
import type { TriggerEventRecord, TriggerRecord } from '@millrace/runs';
import { createMetrics } from '@millrace/service';
import { until } from '@millrace/service/testing';
import { forAllTests } from '@millrace/testing';
import { openTestIngest } from '../../testing/test-ingest';

const metrics = createMetrics();
let flowId: string;
let made: { trigger: TriggerRecord; publicId: string; secret: string };
const ingest = forAllTests(() => openTestIngest({ metrics }));
beforeAll(async () => {
  flowId = await ingest.newFlow('signed', {});
}, 60_000);

beforeEach(async () => {
  const trigger = await newTrigger();
  const secret = await ingest.triggers.rotateSecret(ingest.userId, trigger.id);
  if (!secret) throw new Error('no secret');
  made = { trigger, ...secret };
});

async function newTrigger(changes: object = {}): Promise<TriggerRecord> {
  const trigger = await ingest.triggers.create(ingest.userId, {
    flowId,
    name: 'hook',
    kind: 'inbound_webhook',
    nodeId: null,
    config: {},
    state: 'pending',
    sessionPolicy: 'per_event',
    concurrencyLimit: 100,
    maximumAttempts: 5,
    flowVersion: null,
    nextOccurrenceAt: null,
    nextFireAt: null,
    ...changes,
  });
  if (!trigger) throw new Error('no trigger');
  return trigger;
}

interface Delivery {
  readonly secret?: string;
  readonly offset?: number;
  readonly address?: string;
  readonly prefix?: string;
  readonly timestamp?: number;
}

function deliver(body: string, options: Delivery = {}): Promise<Response> {
  const { secret = made.secret, offset = 0, address = made.publicId, prefix = 'v1=' } = options;
  const timestamp = String(options.timestamp ?? Math.floor(Date.now() / 1_000) + offset);
  const digest = createHmac('sha256', secret).update(`v1:${timestamp}:${body}`).digest('hex');
  const headers = { 'x-langflow-timestamp': timestamp, 'x-langflow-signature': `${prefix}${digest}` };
  return fetch(urlOf(address), { method: 'POST', headers, ...(body === '' ? {} : { body }) });
}

const urlOf = (address: string, provider = 'webhook') =>
  `${new URL(ingest.url).origin}/api/v1/triggers/ingress/${provider}/${address}`;

const events = (): Promise<TriggerEventRecord[]> =>
  ingest.triggers.events(ingest.userId, made.trigger.id, { limit: 50, offset: 0 });

test('a signed delivery is answered with an empty 202, stored with its run, and published', async () => {
  const answer = await deliver('{"order":7,"price":1.0}');
  expect([answer.status, await answer.text()]).toEqual([202, '']);
  const [event] = await events();
  expect(event?.payload).toBe('{"provider":"webhook","delivery":{"order":7,"price":1.0}}');
  expect(event?.dedupeKey).toMatch(/^ingress:webhook:[0-9a-f]{64}$/);
  expect(event?.sessionId).toBe(`trigger:${made.trigger.id}:${event?.id}`);
  await until(() => ingest.jobs.some(({ runId }) => runId === event?.runId));
  const run = await ingest.runs.find(ingest.userId, event?.runId ?? '');
  const text = (run?.request?.tweaks as Record<string, string>)['event_payload'] ?? '';
  expect(text).toContain('"payload":{"provider":"webhook","delivery":{"order":7,"price":1.0}}');
  expect(JSON.parse(text)).toMatchObject({ event_id: event?.id, kind: 'inbound_webhook', attempt: 0 });
  await until(() => ingest.lines.some(({ message }) => message === 'request answered'));
  const line = ingest.lines.find(({ message }) => message === 'request answered');
  expect(line?.fields).toMatchObject({ userId: ingest.userId, flowId, status: 202 });
  const counted = await metrics.prometheusText();
  expect(counted).toMatch(/^millrace_trigger_deliveries_accepted_total [1-9]/m);
});

test('the same bytes signed in the same second are one event; another second is another event', async () => {
  const timestamp = Math.floor(Date.now() / 1_000);
  const statuses = await Promise.all([1, 2, 3].map(async () => (await deliver('{}', { timestamp })).status));
  expect(statuses).toEqual([202, 202, 202]);
  expect(await events()).toHaveLength(1);
  await deliver('{}', { timestamp: timestamp - 1 });
  expect(await events()).toHaveLength(2);
});

test('the owner of the flow sees why a delivery was refused, which the sender does not', async () => {
  const wrong = await deliver('{"order":7}', { secret: 'other' });
  expect([wrong.status, await wrong.json()]).toEqual([404, { detail: 'Not found' }]);
  expect((await deliver('[7]')).status).toBe(404);
  const reasons = async () => (await ingest.refusedDeliveries.list(flowId)).map(({ reason }) => reason);
  await until(async () => (await reasons()).length >= 2);
  expect(new Set(await reasons())).toEqual(
    new Set([
      'trigger "hook": not signed with its secret, or more than 300 s ago',
      'trigger "hook": the body is not a JSON object',
    ]),
  );
  const [refused] = await ingest.refusedDeliveries.list(flowId);
  expect(refused).toMatchObject({ code: 'trigger_unknown', status: 404, count: 1 });
});

test('an empty body is an empty object', async () => {
  expect((await deliver('')).status).toBe(202);
  expect((await events())[0]?.payload).toBe('{"provider":"webhook","delivery":{}}');
});

test.each<[string, () => Promise<Response>]>([
  ['no signature', () => fetch(urlOf(made.publicId), { method: 'POST', body: '{}' })],
  ['another secret', () => deliver('{}', { secret: 'other' })],
  ['another version', () => deliver('{}', { prefix: 'v2=' })],
  ['a timestamp that is too old', () => deliver('{}', { offset: -400 })],
  ['a timestamp that is in the future', () => deliver('{}', { offset: 400 })],
  ['a list', () => deliver('[1]')],
  ['a text that is no JSON', () => deliver('order=7')],
  ['an unknown address', () => deliver('{}', { address: 'abcdefgh12345678' })],
  ['another provider', () => fetch(urlOf(made.publicId, 'microsoft'), { method: 'POST', body: '{}' })],
])('%s is answered with 404 and stores nothing', async (_, send) => {
  const answer = await send();
  expect([answer.status, await answer.json()]).toEqual([404, { detail: 'Not found' }]);
  expect(await events()).toEqual([]);
});

test('a paused trigger and one whose secret was rotated refuse what was signed before', async () => {
  await ingest.triggers.rotateSecret(ingest.userId, made.trigger.id);
  expect((await deliver('{}')).status).toBe(404);
  const { id } = made.trigger;
  const secret = (await ingest.triggers.rotateSecret(ingest.userId, id))?.secret ?? '';
  expect((await deliver('{}', { secret })).status).toBe(202);
  await ingest.triggers.update(ingest.userId, id, { state: 'paused' });
  expect((await deliver('{"n":1}', { secret })).status).toBe(404);
});

test('a trigger whose secret no key decrypts is answered as the fault of the operator', async () => {
  await ingest.database.query({
    text: `UPDATE triggers SET encrypted_secret = $2 WHERE id = $1`,
    values: [made.trigger.id, Encryption.from(['1'.repeat(64)]).encrypt(made.secret)],
  });
  const answer = await deliver('{}');
  expect([answer.status, answer.headers.get('x-error-code')]).toEqual([500, 'encryption_failed']);
});

test('a provider or an address that cannot be one is answered with 422', async () => {
  const refusal = async (address: string, provider?: string) => {
    const answer = await fetch(urlOf(address, provider), { method: 'POST' });
    const { detail } = (await answer.json()) as { readonly detail: readonly object[] };
    return [answer.status, detail];
  };
  const tooLong = (name: string, maximum: number) => ({
    type: 'string_too_long',
    loc: ['path', name],
    msg: `String should have at most ${maximum} characters`,
    ctx: { max_length: maximum },
  });
  const pattern = (name: string, text: string) => ({
    type: 'string_pattern_mismatch',
    loc: ['path', name],
    msg: `String should match pattern '${text}'`,
    ctx: { pattern: text },
  });
  expect(await refusal('a'.repeat(300), 'b'.repeat(33))).toEqual([
    422,
    [tooLong('provider', 32), tooLong('public_id', 64)],
  ]);
  expect(await refusal('abcdefgh%20', 'Web-Hook')).toEqual([
    422,
    [pattern('provider', '^[a-z][a-z0-9_]*$'), pattern('public_id', '^[A-Za-z0-9_-]+$')],
  ]);
});

test('an address that is too short is answered with 422, and another method with 405', async () => {
  const short = await fetch(urlOf('short'), { method: 'POST' });
  expect(short.status).toBe(422);
  expect(await short.json()).toEqual({
    detail: [
      {
        type: 'string_too_short',
        loc: ['path', 'public_id'],
        msg: 'String should have at least 8 characters',
        ctx: { min_length: 8 },
      },
    ],
  });
  expect((await fetch(urlOf(made.publicId))).status).toBe(405);
  expect((await fetch(urlOf(made.publicId), { method: 'HEAD' })).status).toBe(200);
  const headers = { 'webhook-request-origin': 'a.example', 'webhook-request-rate': '1' };
  const consent = await fetch(urlOf(made.publicId), { method: 'OPTIONS', headers });
  expect([consent.status, consent.headers.get('webhook-allowed-rate')]).toEqual([200, '600']);
});

test('a body beyond the limit is refused, and so are more deliveries than a trigger may have', async () => {
  expect((await deliver(JSON.stringify({ text: 'a'.repeat(70_000) }))).status).toBe(413);
  // At once: one after the other they take seconds on a busy machine.
  const sent = Array.from({ length: 40 }, (_, number) => deliver(`{"n":${number}}`));
  const statuses = (await Promise.all(sent)).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([202, 429]));
});

test('a schedule fires within its second, once, and its run is published', async () => {
  const at = new Date(Date.now() + 300);
  const trigger = await newTrigger({
    kind: 'schedule',
    state: 'active',
    config: { at: at.toISOString() },
    nextOccurrenceAt: at,
    nextFireAt: at,
  });
  const fired = () => ingest.triggers.events(ingest.userId, trigger.id, { limit: 10, offset: 0 });
  await until(async () => (await fired()).length > 0);
  const [event, ...others] = await fired();
  expect(others).toEqual([]);
  expect(event?.dedupeKey).toBe(`schedule:${at.toISOString()}`);
  expect(JSON.parse(event?.payload ?? '')).toEqual({ scheduled_for: at.toISOString(), missed: 0 });
  await until(() => ingest.jobs.some(({ runId }) => runId === event?.runId));
  expect((await ingest.triggers.find(ingest.userId, trigger.id))?.nextFireAt).toBeNull();
  const counted = await metrics.prometheusText();
  expect(counted).toContain('millrace_schedules_fired_total 1');
  expect(counted).toContain('millrace_schedule_delay_seconds_count 1');
});
