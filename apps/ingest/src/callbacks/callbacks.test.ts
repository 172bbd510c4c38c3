import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openMigratedDatabase } from '@millrace/database/testing';
import type { FlowSettings } from '@millrace/flow';
import { Encryption } from '@millrace/runs';
import type { CallbackDelivery, RunCompletion } from '@millrace/runs';
import { createLogger, createMetrics, createOutgoingFetch, uuidv7 } from '@millrace/service';
import { until } from '@millrace/service/testing';
import { checkSignature } from '../intake/webhooks/signatures/check-signature';
import { openTestIngest } from '../testing/test-ingest';
import type { TestIngest } from '../testing/test-ingest';
import { callbackHeaders } from './callback-message';
import { sendCallback } from './send-callback';

interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const OTHER = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const PAGE = { limit: 50, offset: 0 };
const CONCURRENCY = 2;

const metrics = createMetrics();
let ingest: TestIngest;
let origin: string;
let flows = 0;
const received: Received[] = [];
const answers = new Map<string, (response: ServerResponse) => void>();
const receiver = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const path = request.url ?? '';
    received.push({ path, headers: request.headers, body: Buffer.concat(chunks).toString() });
    const answer = answers.get(path) ?? ((given) => given.writeHead(204).end());
    answer(response);
  });
});

beforeAll(async () => {
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  origin = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  ingest = await openTestIngest({
    metrics,
    callbackIntervalMilliseconds: 20,
    limits: { callbackTimeoutMilliseconds: 300, callbackConcurrency: CONCURRENCY },
  });
  for (const [name, value] of Object.entries({ NEW: SECRET, OLD: OTHER, LOST: '' }))
    await ingest.variables.create(ingest.userId, { name, value, type: 'Credential', defaultFields: [] });
}, 60_000);

afterAll(async () => {
  await ingest.close();
  receiver.closeAllConnections();
  receiver.close();
});

type Callbacks = NonNullable<FlowSettings['callbacks']>;

/** Begins a run of a new flow with these callbacks; resolves to the run's id. */
async function beginRun(callbacks: Callbacks, of = ingest): Promise<string> {
  const flowId = await of.newFlow(`flow-${(flows += 1)}`, { callbacks });
  const runId = uuidv7();
  const request = {
    form: 'webhook',
    inputs: [],
    outputs: { by: 'type', type: 'chat' },
    tweaks: {},
    stream: false,
    sessionId: 's',
    globalVariables: {},
  } as const;
  await of.runs.accept([
    {
      id: runId,
      flowId,
      flowVersion: 1,
      userId: of.userId,
      lane: 'background',
      pool: 'default',
      origin: 'webhook',
      request,
      sessionId: 's',
      limitMilliseconds: 60_000,
      maximumAttempts: 3,
    },
  ]);
  await of.runs.claim([{ runId, worker: 'worker', redelivered: false }]);
  return runId;
}

/** Ends a run of a new flow with these callbacks; resolves to the run's id. */
async function endRun(callbacks: Callbacks, end: Partial<RunCompletion> = {}, of = ingest): Promise<string> {
  const runId = await beginRun(callbacks, of);
  const ended = { status: 'succeeded', result: '{"outputs":1.0}', failure: null, messages: [] } as const;
  await of.runs.complete([{ runId, attempt: 1, ...ended, ...end }]);
  return runId;
}

async function deliveryOf(runId: string): Promise<CallbackDelivery> {
  const [found] = await ingest.callbacks.list(ingest.userId, { runId }, PAGE);
  if (!found) throw new Error('no delivery');
  return found;
}

/** Makes a failed delivery due at once. */
const makeDue = (runId: string) =>
  ingest.database.query({
    text: `UPDATE callback_deliveries SET due_at = now() WHERE run_id = $1 AND due_at IS NOT NULL`,
    values: [runId],
  });

const at = (path: string) => received.filter((request) => request.path === path);

test('a run that waits for a person is reported with its question and links, to those who want it', async () => {
  const callback = { url: `${origin}/waiting`, secrets: ['NEW'] };
  const runId = await beginRun([{ ...callback, on: ['waiting'] }, callback]);
  const request = {
    request_id: `HumanInput-h:${runId}`,
    kind: 'node_input',
    prompt: 'Ship it?',
    options: [{ action_id: 'approve', label: 'Approve' }],
    allowed_decisions: ['approve'],
    timeout_seconds: 3_600,
    fallback_action: null,
  } as const;
  const suspended = { runId, attempt: 1, results: '{}', requests: [request], messages: [] };
  expect(await ingest.runs.suspend(suspended)).toBe(true);
  await until(async () => (await deliveryOf(runId)).state === 'delivered');
  const reports = received
    .filter(({ path }) => path === '/waiting')
    .map(({ body }) => JSON.parse(body) as object);
  const link = expect.stringMatching(/^https:\/\/flows\.test\/decide\/[\w-]+\.[\w-]+\.[\w-]+$/) as string;
  const { request_id, kind, prompt, options, allowed_decisions } = request;
  const shown = { request_id, kind, prompt, options, allowed_decisions };
  expect(reports).toMatchObject([
    {
      type: 'run.waiting',
      data: {
        run_id: runId,
        status: 'suspended',
        finished_at: null,
        result: null,
        request: { ...shown, due_at: expect.any(String) as string },
        links: { form: link, actions: { approve: link }, expires_at: expect.any(String) as string },
      },
    },
  ]);
});

test('a question that was answered before its report arrived is not sent', async () => {
  answers.set('/late', (response) => response.writeHead(503).end());
  const runId = await beginRun([{ url: `${origin}/late`, secrets: ['NEW'], on: ['waiting'] }]);
  const request = {
    request_id: 'r',
    kind: 'node_input',
    prompt: '',
    options: [],
    allowed_decisions: ['approve'],
    timeout_seconds: 0,
    fallback_action: null,
  } as const;
  await ingest.runs.suspend({ runId, attempt: 1, results: '{}', requests: [request], messages: [] });
  await until(async () => (await deliveryOf(runId)).lastStatus === 503);
  const decisions = new Map([['r', { action_id: 'approve', values: {} }]]);
  const given = { userId: ingest.userId, runId, decisions, decidedBy: null };
  expect(await ingest.runs.within(ingest.database).decide(given)).toBe(true);
  await makeDue(runId);
  await until(async () => (await deliveryOf(runId)).state === 'dead');
  expect((await deliveryOf(runId)).lastError).toBe('The run does not ask this any more.');
});

test('signs as the published example of Standard Webhooks', () => {
  const headers = callbackHeaders(
    'msg_p5jXN8AQM9LWM0D4loKWxJek',
    '{"test": 2432232314}',
    [SECRET],
    1_614_265_330_000,
  );
  expect(headers).toMatchObject({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

test('reports the end of a run, signed with both secrets, with the result as it was stored', async () => {
  const runId = await endRun([{ url: `${origin}/both`, secrets: ['NEW', 'OLD'] }]);
  await until(async () => (await deliveryOf(runId)).state === 'delivered');
  const [request] = at('/both');
  if (!request) throw new Error('nothing was received');
  const { headers, body } = request;
  for (const secret of [SECRET, OTHER]) {
    const rule = { scheme: 'standard-webhooks', secrets: [] } as const;
    expect(checkSignature({ headers, body: Buffer.from(body) }, rule, [secret], Date.now())).not.toBeNull();
  }
  expect(headers['webhook-id']).toBe((await deliveryOf(runId)).id);
  expect(body).toContain('"result":{"outputs":1.0}');
  expect(JSON.parse(body)).toMatchObject({
    type: 'run.finished',
    data: { run_id: runId, status: 'succeeded', attempts: 1, error: null, result_omitted: false },
  });
});

test('leaves a result of more than 1 MiB out', async () => {
  const result = JSON.stringify({ text: 'x'.repeat(1_048_576) });
  await endRun([{ url: `${origin}/large`, secrets: ['NEW'] }], { result });
  await until(() => at('/large').length > 0);
  expect(JSON.parse(at('/large')[0]?.body ?? '')).toMatchObject({
    data: { result: null, result_omitted: true },
  });
});

test('repeats a refused report with the same id and bytes, and logs what the receiver answered', async () => {
  answers.set('/moody', (response) => response.writeHead(400).end('not today'));
  const failure = { code: 'component_failed', message: 'it broke', vertex: null, problems: [] };
  const runId = await endRun([{ url: `${origin}/moody`, secrets: ['NEW'] }], {
    status: 'failed',
    result: null,
    failure,
  });
  await until(async () => (await deliveryOf(runId)).lastStatus === 400);
  const failed = await deliveryOf(runId);
  expect(failed).toMatchObject({ state: 'pending', attempts: 1, lastError: 'The receiver answered 400.' });
  const pause = (failed.dueAt?.getTime() ?? 0) - Date.now();
  expect(pause).toBeLessThan(5_000);
  answers.delete('/moody');
  await makeDue(runId);
  await until(async () => (await deliveryOf(runId)).state === 'delivered');
  const [first, second] = at('/moody');
  expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
  expect(second?.body).toBe(first?.body);
  expect(JSON.parse(first?.body ?? '')).toMatchObject({ type: 'run.failed', data: { error: failure } });
  const log = await ingest.callbacks.attempts(failed.id);
  expect(log.map(({ number, status, answer }) => [number, status, answer])).toEqual([
    [2, 204, ''],
    [1, 400, 'not today'],
  ]);
});

test.each([
  ['a redirect', (response: ServerResponse) => response.writeHead(302, { location: '/x' }).end(), 302],
  ['silence', () => undefined, null],
  ['a broken connection', (response: ServerResponse) => response.destroy(), null],
])('%s is a failure that is repeated', async (what, answer, status) => {
  const path = `/${encodeURIComponent(what)}`;
  answers.set(path, answer);
  const runId = await endRun([{ url: origin + path, secrets: ['NEW'] }]);
  await until(async () => (await deliveryOf(runId)).lastError !== null);
  expect(await deliveryOf(runId)).toMatchObject({ state: 'pending', lastStatus: status });
  expect(at('/x')).toEqual([]);
});

test.each([
  ['7', 7_000],
  ['3600', 3_600_000],
  ['3601', 3_600_000],
  ['-7', null],
  ['soon', null],
])('a refusal with Retry-After: %s asks for a pause of at most an hour', async (text, milliseconds) => {
  answers.set('/later', (response) => response.writeHead(503, { 'retry-after': text }).end());
  const reach = createOutgoingFetch({ allow: ['127.0.0.1/32'] });
  const options = { signal: new AbortController().signal, timeoutMilliseconds: 60_000 };
  const answer = await sendCallback(reach, { url: `${origin}/later`, headers: {}, body: '{}' }, options);
  expect([answer.status, answer.retryAfter]).toEqual([503, milliseconds]);
  await reach.close();
});

test('a receiver that answers 410 gets a report once', async () => {
  answers.set('/unwanted', (response) => response.writeHead(410).end());
  const runId = await endRun([{ url: `${origin}/unwanted`, secrets: ['NEW'] }]);
  await until(async () => (await deliveryOf(runId)).state === 'dead');
  expect(at('/unwanted')).toHaveLength(1);
  const { id: callbackId } = await deliveryOf(runId);
  const givenUp = () => ingest.logged('a callback was given up');
  const expected = { callbackId, runId, target: origin, attempt: 1 };
  await until(() => givenUp().length > 1);
  expect(givenUp()).toContainEqual(expected);
});

test('a private address is not reached, and a report without a secret is not sent', async () => {
  const { port } = new URL(origin);
  const refused = await endRun([{ url: `http://127.0.0.2:${port}/private`, secrets: ['NEW'] }]);
  const unsigned = await endRun([{ url: `${origin}/unsigned`, secrets: ['MISSING'] }]);
  await ingest.database.query({
    text: `UPDATE variables SET encrypted_value = $1 WHERE name = 'LOST'`,
    values: [Encryption.from(['1'.repeat(64)]).encrypt('whsec_bG9zdA==')],
  });
  const unreadable = await endRun([{ url: `${origin}/unsigned`, secrets: ['LOST'] }]);
  for (const runId of [refused, unsigned, unreadable])
    await until(async () => (await deliveryOf(runId)).lastError !== null);
  expect((await deliveryOf(refused)).lastError).toBe('127.0.0.2 is not a public address.');
  expect((await deliveryOf(unsigned)).lastError).toBe(
    'No variable with a signing secret was found: MISSING.',
  );
  expect((await deliveryOf(unreadable)).lastError).toBe('The signing secret cannot be decrypted: LOST.');
  expect([...at('/private'), ...at('/unsigned')]).toEqual([]);
});

test('a receiver that fails five times in a row gets nothing during a pause, and others do', async () => {
  const broken = createServer((_request, response) => response.writeHead(503).end()).listen(0, '127.0.0.1');
  await once(broken, 'listening');
  const url = `http://127.0.0.1:${(broken.address() as AddressInfo).port}/`;
  const runIds: string[] = [];
  for (let count = 0; count < 5; count += 1) runIds.push(await endRun([{ url, secrets: ['NEW'] }]));
  for (const runId of runIds) await until(async () => (await deliveryOf(runId)).attempts === 1);
  const held = await endRun([{ url, secrets: ['NEW'] }]);
  const other = await endRun([{ url: `${origin}/other`, secrets: ['NEW'] }]);
  await until(async () => (await deliveryOf(other)).state === 'delivered');
  expect(await deliveryOf(held)).toMatchObject({ state: 'pending', attempts: 0 });
  const target = new URL(url).origin;
  const paused = ingest.logged('callbacks to a receiver pause: it failed five times in a row');
  expect(paused).toContainEqual(
    expect.objectContaining({ userId: ingest.userId, target, reason: 'The receiver answered 503.' }),
  );
  const counted = [
    /millrace_callback_attempts_total{outcome="failed"} [1-9]/,
    /millrace_callback_attempts_total{outcome="delivered"} [1-9]/,
    /millrace_callbacks_dead_total [1-9]/,
    /millrace_callbacks_pending [1-9]/,
    /millrace_callbacks_oldest_seconds 0?[.1-9]/,
    /millrace_callback_circuits_open 1/,
  ];
  for (const metric of counted)
    await until(async () => metric.test(await metrics.prometheusText()), metric.source);
  broken.close();
});

test('a slow receiver gets at most as many reports at once as allowed, and all of them', async () => {
  let underWay = 0;
  let most = 0;
  answers.set('/slow', (response) => {
    underWay += 1;
    most = Math.max(most, underWay);
    // Longer than several rounds of the sender.
    setTimeout(() => {
      underWay -= 1;
      response.writeHead(204).end();
    }, 80);
  });
  const runIds: string[] = [];
  for (let count = 0; count < 3 * CONCURRENCY; count += 1)
    runIds.push(await endRun([{ url: `${origin}/slow`, secrets: ['NEW'] }]));
  for (const runId of runIds) await until(async () => (await deliveryOf(runId)).state === 'delivered');
  expect(most).toBe(CONCURRENCY);
});

test('a report whose attempt ends because its sender stops is due at once', async () => {
  const database = await openMigratedDatabase(createLogger({ name: 'callbacks-test', level: 'silent' }));
  const stopping = await openTestIngest({ callbackIntervalMilliseconds: 20 }, database);
  await stopping.variables.create(stopping.userId, {
    name: 'NEW',
    value: SECRET,
    type: 'Credential',
    defaultFields: [],
  });
  answers.set('/stopped', () => undefined);
  const runId = await endRun([{ url: `${origin}/stopped`, secrets: ['NEW'] }], {}, stopping);
  await until(() => at('/stopped').length === 1);
  await stopping.close();
  const due = await stopping.callbacks.take({ limit: 1, perTarget: 1, places: new Map() });
  expect(due).toMatchObject([{ run: { id: runId }, attempt: 2 }]);
  await database.close();
});
