import { once } from 'node:events';
import { request as send } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { brokerNames, runsTopology } from '@millrace/messages';
import type { Job } from '@millrace/messages';
import type { Database } from '@millrace/database';
import { openMigratedDatabase } from '@millrace/database/testing';
import { openMessageBus } from '@millrace/messaging';
import type { MessageBus } from '@millrace/messaging';
import {
  ApiKeyStore,
  Encryption,
  FlowStore,
  LimitStore,
  RunStore,
  UserStore,
  VariableStore,
} from '@millrace/runs';
import { createLogger, createMetrics, Health, localClock } from '@millrace/service';
import { until } from '@millrace/service/testing';
import { startIngest } from './ingest';
import { testAudit } from './testing/test-audit';
import { testSettings } from './testing/test-settings';
import { testStores } from './testing/test-stores';
import type { Ingest } from './ingest';

const logger = createLogger({ name: 'ingest-test', level: 'silent' });
const names = brokerNames();
const document = { nodes: [], edges: [], viewport: { x: 0, y: 0, zoom: 1 } };
let database: Database;
let bus: MessageBus;
let audited: ReturnType<typeof testAudit>;
let ingest: Ingest;
let url: string;
let key: string;
let userId: string;
let flows: FlowStore;
let runs: RunStore;
const jobs: Job[] = [];

beforeAll(async () => {
  database = await openMigratedDatabase(logger);
  bus = await openMessageBus({ url: undefined, logger, name: 'ingest-test' });
  await bus.provision(runsTopology(names, ['default', 'python']));
  await bus.consume(names.lane('background', 'default'), { prefetch: 1_000 }, async ({ body }) => {
    jobs.push(JSON.parse(body.toString()) as Job);
    return 'done';
  });
  flows = new FlowStore({ database });
  runs = new RunStore({ database });
  const apiKeys = new ApiKeyStore({ database });
  userId = (await new UserStore({ database }).ensureFirst()).id;
  key = (await apiKeys.create(userId, { name: null, expiresAt: null })).key;
  audited = testAudit(database);
  ingest = await startIngest({
    logger,
    metrics: createMetrics(),
    health: new Health(),
    bus,
    names,
    clock: localClock,
    ...audited,
    ...testStores(database),
    apiKeys,
    flows,
    variables: new VariableStore({ database, encryption: Encryption.from(['0'.repeat(64)]) }),
    runs,
    instance: 'ingest-test',
    pythonPool: 'python',
    settings: testSettings({ MILLRACE_MAXIMUM_BODY_BYTES: 4_096 }),
    limits: { bodyMembers: 1_000 },
  });
  const { port } = await ingest.listen({ host: '127.0.0.1', port: 0 });
  url = `http://127.0.0.1:${port}/api/v1/webhook`;
}, 60_000);

afterAll(async () => {
  await ingest.close();
  await audited.refusedSignIns.close();
  await bus.close();
  await database.close();
});

const newFlow = (endpointName: string, settings = {}) =>
  flows.create(userId, { name: endpointName, endpointName, document, settings });

const post = (
  path: string,
  body: RequestInit['body'] | undefined,
  headers: Record<string, string> = { 'x-api-key': key },
) => fetch(`${url}/${path}`, { method: 'POST', headers, ...(body == null ? {} : { body }) });

test('acknowledges a webhook once its run is durable, then publishes a job', async () => {
  const flow = await newFlow('hook');
  const response = await post('hook', '{"a":1}');
  expect(response.status).toBe(202);
  const body = (await response.json()) as { run_id: string };
  expect(body).toEqual({
    message: 'Task started in the background',
    status: 'in progress',
    run_id: expect.any(String),
  });
  const run = await runs.find(userId, body.run_id);
  expect(run).toMatchObject({ flowId: flow.id, lane: 'background', sessionId: flow.id });
  expect(run?.request).toMatchObject({ form: 'webhook', webhookPayload: '{"a":1}' });
  await until(() => jobs.some(({ runId }) => runId === body.run_id));
  expect(jobs.at(-1)).toMatchObject({ durable: true, flowId: flow.id, request: null });
});

test('refuses webhooks of a flow beyond its limit of waiting runs, and those of no other flow', async () => {
  const flow = await newFlow('few-wait');
  await newFlow('many-wait');
  await new LimitStore({ database }).replace(
    { scope: 'flow', id: flow.id, ownerId: userId },
    { waitingRuns: 2 },
  );
  const first = await post('few-wait', '{"a":1}', { 'x-api-key': key, 'webhook-id': 'one' });
  expect([first.status, (await post('few-wait', '{"a":2}')).status]).toEqual([202, 202]);
  const refused = await post('few-wait', '{"a":3}');
  expect([refused.status, refused.headers.get('x-error-code'), refused.headers.get('ratelimit')]).toEqual([
    429,
    'too_many_waiting',
    '"flow_waiting";r=0;t=1',
  ]);
  expect(await refused.json()).toEqual({
    detail: 'Too many waiting background runs: the limit of this flow is 2.',
  });
  expect((await post('many-wait', '{"a":1}')).status).toBe(202);
  const { run_id: runId } = (await first.json()) as { run_id: string };
  await runs.claim([{ runId, worker: 'one', redelivered: false }]);
  await until(async () => (await post('few-wait', '{"a":4}')).status === 202);
});

test('refuses webhooks of a flow beyond the bytes of a day', async () => {
  const flow = await newFlow('few-bytes');
  const limited = { scope: 'flow', id: flow.id, ownerId: userId } as const;
  await new LimitStore({ database }).replace(limited, { bodyBytesPerDay: 20 });
  expect((await post('few-bytes', '{"text":"12345"}')).status).toBe(202);
  const refused = await post('few-bytes', '{"a":1}');
  expect([
    refused.status,
    refused.headers.get('x-error-code'),
    refused.headers.get('ratelimit-policy'),
  ]).toEqual([429, 'rate_limited', '"flow_body";q=20;w=86400;qu="content-bytes"']);
  expect((await post('few-bytes', '1234')).status).toBe(202);
});

test('a webhook of a flow that needs Python waits until an executor with Python starts', async () => {
  const flow = { name: 'snake', endpointName: 'snake', document, needsPython: true };
  await flows.create(userId, flow);
  await flows.create(userId, { ...flow, name: 'own', endpointName: 'own', settings: { pool: 'default' } });
  const poolOf = async (path: string) => {
    const response = await post(path, '{}');
    expect(response.status).toBe(202);
    const { run_id } = (await response.json()) as { run_id: string };
    return [run_id, (await runs.find(userId, run_id))?.pool];
  };
  const [runId, pool] = await poolOf('snake');
  expect(pool).toBe('python');
  expect((await poolOf('own'))[1]).toBe('default');
  const taken: Job[] = [];
  const executor = await bus.consume(
    names.lane('background', 'python'),
    { prefetch: 1 },
    async ({ body }) => {
      taken.push(JSON.parse(body.toString()) as Job);
      return 'done';
    },
  );
  await until(() => taken.length > 0);
  expect(taken).toMatchObject([{ runId, pool: 'python' }]);
  await executor.close();
});

test('stores any body unchanged, whatever its type', async () => {
  const flow = await newFlow('any-body');
  for (const text of ['plain words', 'a=1&b=two', '[1,2]', '{"t":"žš 🐎"}', '{"open":']) {
    const { run_id } = (await (await post(flow.id, text)).json()) as { run_id: string };
    expect((await runs.find(userId, run_id))?.request?.webhookPayload).toBe(text);
  }
});

test('S2: runs one delivery once, however often it arrives, in parallel and days later', async () => {
  const flow = await newFlow('numbered');
  const headers = { 'x-api-key': key, 'x-github-delivery': 'delivery-1' };
  const runOf = async (path: string, given: Record<string, string> = headers) => {
    const answer = await post(path, '{}', given);
    expect(answer.status).toBe(202);
    return ((await answer.json()) as { run_id: string }).run_id;
  };
  const ids = await Promise.all(Array.from({ length: 100 }, () => runOf('numbered')));
  expect(new Set(ids).size).toBe(1);
  const id = ids[0] as string;
  for (const age of ['1 hour', '3 days']) {
    await database.query({
      text: `UPDATE runs SET status = 'succeeded', next_sweep_at = NULL, accepted_at = now() - $2::interval,
        finished_at = now() - $2::interval WHERE id = $1`,
      values: [id, age],
    });
    await runs.prune({ retentionDays: 7, keptFlowVersions: 20, limit: 1_000, versionLimit: 1_000 });
    expect(await runOf('numbered')).toBe(id);
  }
  await until(() => jobs.some(({ runId }) => runId === id));
  expect(jobs.filter(({ flowId }) => flowId === flow.id).map(({ runId }) => runId)).toEqual([id]);

  await newFlow('numbered-too');
  const elsewhere = await runOf('numbered-too');
  const other = await new UserStore({ database }).create({ username: 'another', isAdmin: false });
  const apiKeys = new ApiKeyStore({ database });
  const { key: otherKey } = await apiKeys.create(other.id, { name: null, expiresAt: null });
  await flows.create(other.id, { name: 'numbered', endpointName: 'numbered', document });
  const another = await runOf('numbered', { ...headers, 'x-api-key': otherKey });
  expect(new Set([id, elsewhere, another]).size).toBe(3);
});

test.each([
  [
    'no key',
    'locked',
    '{}',
    {},
    403,
    'API key required when webhook authentication is enabled',
    'key_missing',
  ],
  ['a wrong key', 'locked', '{}', { 'x-api-key': 'sk-wrong' }, 403, 'Invalid API key', 'key_invalid'],
  ['no such flow', 'nowhere', '{}', undefined, 404, 'Flow identifier nowhere not found', 'flow_unknown'],
  [
    'an empty body',
    'locked',
    undefined,
    undefined,
    400,
    'Request body is empty. You should provide a JSON payload containing the flow ID.',
    'invalid_value',
  ],
  [
    'bytes that are not UTF-8',
    'locked',
    new Uint8Array([255]),
    undefined,
    400,
    'The body is not valid UTF-8.',
    'undecodable_body',
  ],
  [
    'a NUL character',
    'locked',
    'a\u0000b',
    undefined,
    400,
    'The body contains a NUL character.',
    'invalid_value',
  ],
  [
    'an escape of half a surrogate pair',
    'locked',
    String.raw`{"customer":"Ann \ud83d"}`,
    undefined,
    400,
    'The body contains an unpaired surrogate.',
    'invalid_value',
  ],
  [
    'an escape of NUL in the name of a member',
    'locked',
    String.raw`{"a\u0000":1}`,
    undefined,
    400,
    'The body contains a NUL character.',
    'invalid_value',
  ],
  [
    'nesting that is too deep',
    'locked',
    '['.repeat(65) + ']'.repeat(65),
    undefined,
    400,
    'The body nests deeper than 64 levels.',
    'invalid_value',
  ],
  [
    'a body that is too large',
    'locked',
    'x'.repeat(4_097),
    undefined,
    413,
    'Content size limit exceeded. Maximum allowed is 0.004MB and got 0.004MB.',
    'body_too_large',
  ],
  [
    'a body that is compressed by Brotli',
    'locked',
    '{}',
    { 'content-encoding': 'br' },
    415,
    'Only gzip and identity encodings are accepted.',
    'encoding_refused',
  ],
])('refuses %s', async (_what, path, body, headers, status, detail, code) => {
  if (!(await flows.resolve(userId, 'locked'))) await newFlow('locked');
  const given = headers as Record<string, string> | undefined;
  const response = await post(
    path,
    body,
    given && 'content-encoding' in given ? { ...given, 'x-api-key': key } : given,
  );
  expect([response.status, await response.json()]).toEqual([status, { detail }]);
  expect(response.headers.get('x-error-code')).toBe(code);
});

test('S5: answers a body without a content length that grows too large, instead of dropping it', async () => {
  await newFlow('growing');
  const body = new ReadableStream({
    async start(controller) {
      for (let part = 0; part < 3; part += 1) {
        controller.enqueue(new TextEncoder().encode('x'.repeat(2_000)));
        await pause(50);
      }
      // The answer must not wait for the rest of the body.
      setTimeout(() => controller.close(), 1_000);
    },
  });
  const request = { method: 'POST', headers: { 'x-api-key': key }, body, duplex: 'half' };
  const response = await fetch(`${url}/growing`, request as RequestInit);
  expect(response.status).toBe(413);
});

test('the key in the header takes precedence over the one in the query', async () => {
  await newFlow('both-keys');
  expect((await post(`both-keys?x-api-key=${key}`, '{}', {})).status).toBe(202);
  expect((await post(`both-keys?x-api-key=${key}`, '{}', { 'x-api-key': 'sk-wrong' })).status).toBe(403);
});

test('a flow can be open to callers without a key', async () => {
  await newFlow('open-to-all', { webhookAuth: 'off' });
  const response = await post('open-to-all', '{}', { 'x-api-key': 'sk-ignored' });
  expect(response.status).toBe(202);
  const { run_id } = (await response.json()) as { run_id: string };
  expect(await runs.find(userId, run_id)).not.toBeNull();
});

test('accepts a request target in absolute form', async () => {
  await newFlow('absolute');
  const sent = send(url, {
    method: 'POST',
    path: `http://elsewhere.example/api/v1/webhook/absolute?x-api-key=${key}`,
  });
  sent.end('{}');
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  answer.resume();
  expect(answer.statusCode).toBe(202);
});

test('S11: limits the members and depth of a JSON body, and of no other text', async () => {
  await newFlow('bounded');
  const text = ',[{'.repeat(1_001);
  const answers = await Promise.all(
    [`[0${',0'.repeat(1_000)}]`, '['.repeat(65), text].map((body) => post('bounded', body)),
  );
  expect(answers.map(({ status, headers }) => [status, headers.get('x-error-code')])).toEqual([
    [413, 'body_too_large'],
    [400, 'invalid_value'],
    [202, null],
  ]);
});

test('accepts only POST', async () => {
  const response = await fetch(`${url}/hook`);
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  expect(response.headers.get('x-error-code')).toBe('method_not_allowed');
});
