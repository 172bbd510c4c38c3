import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { createMetrics } from '@millrace/service';
import { until } from '@millrace/service/testing';
import { createGateway } from './gateway';
import type { Gateway } from './gateway';
import type { TakenJob } from './testing/test-executor';
import { openTestGateway, TEST_KEY } from './testing/test-gateway';
import type { Answer, TestGateway } from './testing/test-gateway';

const echo = JSON.parse(readFileSync(join(__dirname, '../../../examples/echo.json'), 'utf8')) as object;

interface Caller {
  readonly flowId: string;
  readonly key: Readonly<Record<string, string>>;
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  send(path: string, form: FormData): Promise<Response>;
}

let gateway: TestGateway;
let strict: Gateway;
let strictUrl: string;
let second: Gateway;
let plain: { readonly port: number };
let one: Caller;
let other: Caller;
const takenJobs: TakenJob[] = [];

beforeAll(async () => {
  const environment = {
    MILLRACE_USER_CONCURRENT_RUNS: '3',
    MILLRACE_USER_QUEUE_SHARE: '1',
    MILLRACE_USER_BACKLOG_LIMIT: '2',
  };
  gateway = await openTestGateway({ environment });
  const settings = { ...gateway.settings, MILLRACE_KEY_REQUESTS_PER_SECOND: 2 };
  strict = createGateway({ ...gateway, settings, instance: 'strict', metrics: createMetrics() });
  strictUrl = `http://127.0.0.1:${(await strict.listen({ host: '127.0.0.1', port: 0 })).port}`;
  second = createGateway({
    ...gateway,
    settings: gateway.settings,
    instance: 'second',
    metrics: createMetrics(),
  });
  plain = await second.listen({ host: '127.0.0.1', port: 0 });
  [one, other] = [await newCaller('one'), await newCaller('other')];
  gateway.executor.handleJob = async (takenJob) => void takenJobs.push(takenJob);
}, 60_000);
afterAll(async () => {
  await second.close();
  await strict.close();
  await gateway.close();
});

async function newCaller(name: string): Promise<Caller> {
  const { json } = await gateway.call('POST', '/api/v1/users', { username: name });
  const key = { 'x-api-key': (json as { api_key: string }).api_key };
  const call: Caller['call'] = (method, path, body, headers) =>
    gateway.call(method, path, body, { ...key, ...headers });
  const flow = await call('POST', '/api/v1/flows/', { ...echo, name, endpoint_name: name });
  const send = (path: string, form: FormData) =>
    gateway.fetch(`${gateway.url}${path}`, { method: 'POST', headers: key, body: form });
  return { flowId: (flow.json as { id: string }).id, key, call, send };
}

const run = ({ call, flowId }: Caller) => call('POST', `/api/v1/run/${flowId}`, { input_value: 'x' });
const stream = ({ call, flowId }: Caller) =>
  call('POST', '/api/v2/workflows', { flow_id: flowId, mode: 'stream', input_value: 'x' });

test('callers of one user beyond the limit are refused with the limit, and other users are not', async () => {
  const waiting = [run(one), run(one), run(one)];
  await until(() => takenJobs.length === 3);
  for (const refused of [await run(one), await stream(one)]) {
    expect([refused.status, refused.headers.get('x-error-code')]).toEqual([429, 'too_many_callers']);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(refused.json).toEqual({
      detail: 'Too many concurrent runs: this gateway allows 3 per user.',
    });
  }
  const theirs = run(other);
  await until(() => takenJobs.length === 4);
  for (const takenJob of takenJobs.splice(0))
    await takenJob.final('succeeded', { session_id: 'x', outputs: [] });
  expect((await Promise.all([...waiting, theirs])).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  const again = run(one);
  await until(() => takenJobs.length === 1);
  await takenJobs.pop()?.final('succeeded', { session_id: 'x', outputs: [] });
  expect((await again).status).toBe(200);
});

test('callers who leave while their request is prepared give their places back', async () => {
  const caller = await newCaller('leaving');
  const limit = () => caller.call('PUT', `/api/v1/limits/flows/${caller.flowId}`, { concurrent_runs: 1 });
  const leave = async () => {
    const headers = { ...caller.key, 'content-type': 'application/json' };
    const options = { method: 'POST', headers };
    const sending = request(`${gateway.url}/api/v1/run/${caller.flowId}`, options).on('error', () => {});
    sending.end('{}');
    await once(sending, 'finish');
    sending.destroy();
  };
  gateway.executor.handleJob = async (takenJob) =>
    void (await takenJob.final('succeeded', { session_id: 'x', outputs: [] }));
  for (let left = 0; left < 10; left += 1) {
    // Each change lets the gateway look the flow up again, which takes time.
    await limit();
    await leave();
  }
  await until(async () => (await run(caller)).status === 200);
  gateway.executor.handleJob = async (takenJob) => void takenJobs.push(takenJob);
});

test.each([
  [
    '/api/v1/run',
    202,
    ({ call, flowId }: Caller) =>
      call('POST', `/api/v1/run/${flowId}`, { input_value: 'x' }, { prefer: 'respond-async' }),
  ],
  [
    '/api/v2/workflows',
    200,
    ({ call, flowId }: Caller) =>
      call('POST', '/api/v2/workflows', { flow_id: flowId, mode: 'background', input_value: 'x' }),
  ],
] as const)(
  'background runs of %s wait in the backlog, and are refused beyond its limit',
  async (_path, status, start) => {
    const caller = await newCaller(`flooding-${status}`);
    const statuses: number[] = [];
    let last = await start(caller);
    const path = `/api/v1/runs/${last.headers.get('x-run-id')}/replay`;
    for (; statuses.length < 20 && last.status === status; last = await start(caller))
      statuses.push(last.status);
    expect([last.status, last.headers.get('x-error-code')]).toEqual([429, 'too_many_waiting']);
    expect(last.json).toEqual({
      detail: 'Too many waiting background runs: the limit is 2 per user.',
    });
    expect(await caller.call('POST', path, { input_value: 'y' })).toMatchObject({
      status: 429,
      json: last.json,
    });
    // One run is in progress, two wait; runs before the first count were also accepted.
    expect(statuses.length).toBeGreaterThanOrEqual(3);
    expect(await start(other)).toMatchObject({ status });
  },
);

test('requests beyond the rate limit of a key are refused with the limit, and other keys are not', async () => {
  const ask = async (key: string) => {
    const answer = await gateway.fetch(`${strictUrl}/api/v1/runs`, { headers: { 'x-api-key': key } });
    return [answer.status, answer.headers.get('x-error-code'), await answer.json()] as const;
  };
  const answers = await Promise.all(Array.from({ length: 40 }, () => ask(TEST_KEY)));
  const refused = answers.filter(([status]) => status !== 200);
  expect(answers.length - refused.length).toBeGreaterThanOrEqual(1);
  expect(refused.length).toBeGreaterThan(0);
  for (const answer of refused)
    expect(answer).toEqual([
      429,
      'rate_limited',
      { detail: 'Too many requests: the limit of this API key is 2 per second.' },
    ]);
  const another = await gateway.call('POST', '/api/v1/api_key/', { name: 'another' });
  expect((await ask((another.json as { api_key: string }).api_key))[0]).toBe(200);
});

test('two gateways that share limits grant them once', async () => {
  const caller = await newCaller('spread');
  const { json } = await caller.call('POST', '/api/v1/api_key/', { name: 'spread' });
  const key = { 'x-api-key': (json as { api_key: string }).api_key };
  const settings = {
    ...gateway.settings,
    MILLRACE_KEY_REQUESTS_PER_SECOND: 10,
    MILLRACE_USER_CONCURRENT_RUNS: 2,
    MILLRACE_TOTAL_WORKERS: 2,
  };
  const gateways = ['first', 'second'].map((instance) =>
    createGateway({ ...gateway, settings, instance, metrics: createMetrics() }),
  );
  const ports = await Promise.all(gateways.map((each) => each.listen({ host: '127.0.0.1', port: 0 })));
  const ask = (index: number, method: string, path: string, body?: string) =>
    gateway.fetch(`http://127.0.0.1:${ports[index % 2]?.port}${path}`, {
      method,
      headers: { ...key, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body }),
    });
  const held = [0, 1].map((index) => ask(index, 'POST', `/api/v1/run/${caller.flowId}`, '{}'));
  await until(() => takenJobs.length === 2);
  const refused = await ask(0, 'POST', `/api/v1/run/${caller.flowId}`, '{}');
  expect(await refused.json()).toEqual({
    detail: 'Too many concurrent runs: this gateway allows 1 per user, its part of 2 for all gateways.',
  });
  const started = performance.now();
  const statuses = await Promise.all(
    Array.from({ length: 40 }, (_, index) => ask(index, 'GET', '/api/v1/runs').then(({ status }) => status)),
  );
  const seconds = (performance.now() - started) / 1_000;
  expect(new Set(statuses)).toEqual(new Set([200, 429]));
  expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(5 + 10 * seconds);
  for (const takenJob of takenJobs.splice(0))
    await takenJob.final('succeeded', { session_id: 'x', outputs: [] });
  await Promise.all(held);
  await Promise.all(gateways.map((each) => each.close()));
});

test('a limit of a key, user, project or flow holds at every gateway, and is read back', async () => {
  const caller = await newCaller('limited');
  const { json: key } = await caller.call('POST', '/api/v1/api_key/', { name: 'limited' });
  const { id: keyId, api_key: apiKey } = key as { id: string; api_key: string };
  const { json: user } = await caller.call('GET', '/api/v1/users/whoami');
  const { json: flow } = await caller.call('GET', `/api/v1/flows/${caller.flowId}`);
  gateway.executor.handleJob = (takenJob) => takenJob.final('succeeded', { session_id: 'x', outputs: [] });
  const admin = (method: string, path: string, body?: unknown) => gateway.call(method, path, body);
  for (const [name, path, change] of [
    ['API key', `/api/v1/limits/api_key/${keyId}`, caller.call],
    ['user', `/api/v1/limits/users/${(user as { id: string }).id}`, admin],
    ['project', `/api/v1/limits/projects/${(flow as { folder_id: string }).folder_id}`, caller.call],
    ['flow', `/api/v1/limits/flows/${caller.flowId}`, caller.call],
  ] as const) {
    const ask = () =>
      gateway.fetch(`http://127.0.0.1:${plain.port}/api/v1/run/${caller.flowId}`, {
        method: 'POST',
        headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
        body: '{"input_value":"x"}',
      });
    expect((await ask()).headers.get('ratelimit')).toBeNull();
    expect((await change('PUT', path, { requests_per_second: 0.1 })).json).toEqual({
      requests_per_second: 0.1,
      concurrent_runs: null,
      waiting_runs: null,
      weight: null,
      body_bytes_per_day: null,
      file_bytes_per_day: null,
      end_user_requests_per_second: null,
      end_user_concurrent_runs: null,
      budget: null,
      spend: null,
    });
    await until(async () => (await ask()).headers.get('ratelimit') !== null);
    const refused = await ask();
    expect([name, refused.status, await refused.json()]).toEqual([
      name,
      429,
      { detail: `Too many requests: the limit of this ${name} is 0.1 per second.` },
    ]);
    const scope = name === 'API key' ? 'key' : name;
    expect(refused.headers.get('ratelimit')).toMatch(new RegExp(`^"${scope}";r=0;t=\\d+$`));
    expect((await change('GET', path)).json).toMatchObject({
      requests_per_second: 0.1,
      concurrent_runs: null,
    });
    expect((await change('PUT', path, { requests_per_second: 0 })).status).toBe(422);
    await change('PUT', path, {});
    await until(async () => (await ask()).headers.get('ratelimit') === null);
  }
  gateway.executor.handleJob = async (takenJob) => void takenJobs.push(takenJob);
  await caller.call('PUT', `/api/v1/limits/flows/${caller.flowId}`, { concurrent_runs: 1 });
  const waiting = run(caller);
  await until(() => takenJobs.length === 1);
  const refused = await run(caller);
  expect([refused.status, refused.headers.get('x-error-code'), refused.headers.get('retry-after')]).toEqual([
    429,
    'too_many_callers',
    '1',
  ]);
  expect(refused.json).toEqual({ detail: 'Too many concurrent runs: the limit of this flow is 1.' });
  const background = { prefer: 'respond-async' };
  expect((await caller.call('POST', `/api/v1/run/${caller.flowId}`, {}, background)).status).toBe(202);
  await takenJobs.pop()?.final('succeeded', { session_id: 'x', outputs: [] });
  expect((await waiting).status).toBe(200);
  expect((await caller.call('PUT', `/api/v1/limits/api_key/${keyId}`, { concurrent_runs: 1 })).status).toBe(
    422,
  );
  await caller.call('PUT', `/api/v1/limits/api_key/${keyId}`, { requests_per_second: 7 });
  const { json: rotated } = await caller.call('POST', `/api/v1/api_key/${keyId}/rotate`);
  const { json: kept } = await caller.call('GET', `/api/v1/limits/api_key/${(rotated as { id: string }).id}`);
  expect(kept).toMatchObject({ requests_per_second: 7 });
  const { json: entries } = await admin('GET', '/api/v1/audit?action=limits.changed&limit=20');
  expect(JSON.stringify(entries)).toContain('"requests_per_second":0.1,"scope":"user"');
  expect((await caller.call('PUT', `/api/v1/limits/users/${(user as { id: string }).id}`, {})).status).toBe(
    403,
  );
  gateway.executor.handleJob = async (takenJob) => void takenJobs.push(takenJob);
});

test('bodies and files beyond the bytes of a day are refused, and no file is stored', async () => {
  const caller = await newCaller('sending');
  gateway.executor.handleJob = (takenJob) => takenJob.final('succeeded', { session_id: 'x', outputs: [] });
  const limits = { body_bytes_per_day: 200, file_bytes_per_day: 100 };
  expect((await caller.call('PUT', `/api/v1/limits/flows/${caller.flowId}`, limits)).status).toBe(200);
  const send = (length: number) =>
    caller.call('POST', `/api/v1/run/${caller.flowId}`, { input_value: 'x'.repeat(length) });
  const sent = await send(100);
  expect([sent.status, sent.headers.get('ratelimit-policy')]).toEqual([
    200,
    '"flow_body";q=200;w=86400;qu="content-bytes"',
  ]);
  const refused = await send(100);
  expect([refused.status, refused.headers.get('x-error-code')]).toEqual([429, 'rate_limited']);
  expect((refused.json as { detail: string }).detail).toMatch(
    /^Too many bytes in bodies: the limit of this flow is 200 per day, until .+T00:00:00Z\.$/,
  );
  const upload = async (length: number) => {
    const form = new FormData();
    form.append('file', new Blob(['x'.repeat(length)]), `of-${length}.txt`);
    return (await caller.send(`/api/v1/files/upload/${caller.flowId}`, form)).status;
  };
  expect([await upload(60), await upload(60), await upload(40)]).toEqual([201, 429, 201]);
  const { json } = await caller.call('GET', `/api/v1/files/list/${caller.flowId}`);
  expect((json as { files: string[] }).files.map((name) => /of-.*/.exec(name)?.[0])).toEqual(
    expect.arrayContaining(['of-60.txt', 'of-40.txt']),
  );
  expect((json as { files: string[] }).files).toHaveLength(2);
  gateway.executor.handleJob = async (takenJob) => void takenJobs.push(takenJob);
});

test('a file beyond the bytes of a day is refused before its last byte, and uses up none of them', async () => {
  const { call, send, flowId, key } = await newCaller('large');
  await call('PUT', `/api/v1/limits/flows/${flowId}`, { file_bytes_per_day: 4_000_000 });
  const begin = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n';
  const sending = request(`${gateway.url}/api/v1/files/upload/${flowId}`, {
    method: 'POST',
    headers: { ...key, 'content-type': 'multipart/form-data; boundary=x', 'content-length': 9_000_000 },
  });
  const answered = once(sending, 'response') as Promise<[IncomingMessage]>;
  sending.write(begin);
  sending.write('x'.repeat(6_000_000));
  const [answer] = await answered;
  expect([answer.statusCode, answer.headers['x-error-code']]).toEqual([429, 'rate_limited']);
  sending.on('error', () => undefined).destroy();
  const form = new FormData();
  form.append('file', new Blob(['x'.repeat(4_000_000)]), 'b.bin');
  expect((await send(`/api/v1/files/upload/${flowId}`, form)).status).toBe(201);
});

test('a user who has sent the bytes of a day can still change limits', async () => {
  const { call, flowId } = await newCaller('spent');
  const { id } = (await call('GET', '/api/v1/users/whoami')).json as { id: string };
  await gateway.call('PUT', `/api/v1/limits/users/${id}`, { body_bytes_per_day: 1 });
  const statusOf = async (method: string, path: string) => (await call(method, path, {})).status;
  expect(await statusOf('PATCH', `/api/v1/flows/${flowId}`)).toBe(429);
  expect(await statusOf('PUT', `/api/v1/limits/flows/${flowId}`)).toBe(200);
});

test('background runs beyond the limit of a flow are refused with its name until an executor begins one', async () => {
  const caller = await newCaller('waiting');
  await caller.call('PUT', `/api/v1/limits/flows/${caller.flowId}`, { waiting_runs: 1 });
  const start = (headers: Record<string, string> = {}) =>
    caller.call('POST', `/api/v1/run/${caller.flowId}`, {}, { prefer: 'respond-async', ...headers });
  takenJobs.splice(0);
  const accepted = await start({ 'idempotency-key': 'once' });
  expect(accepted.status).toBe(202);
  const refused = await start();
  const again = await caller.call('POST', `/api/v1/runs/${accepted.headers.get('x-run-id')}/replay`, {
    input_value: 'y',
  });
  expect([again.status, again.json]).toEqual([429, refused.json]);
  expect([refused.status, refused.headers.get('x-error-code'), refused.headers.get('retry-after')]).toEqual([
    429,
    'too_many_waiting',
    '1',
  ]);
  expect(refused.headers.get('ratelimit-policy')).toBe('"flow_waiting";q=1');
  expect(refused.json).toEqual({
    detail: 'Too many waiting background runs: the limit of this flow is 1.',
  });
  // Callers who wait are not limited by it, and a repeated request is the same run.
  const waiting = run(caller);
  await until(() => takenJobs.length === 1);
  await takenJobs.pop()!.final('succeeded', { session_id: 'x', outputs: [] });
  expect((await waiting).status).toBe(200);
  const runId = accepted.headers.get('x-run-id')!;
  await gateway.runs.claim([{ runId, worker: 'one', redelivered: false }]);
  await until(async () => (await start()).status === 202);
  expect((await start()).status).toBe(429);
});

test('a key has one limit, regardless of the header that contains it', async () => {
  const created = await gateway.call('POST', '/api/v1/api_key/', { name: 'both headers' });
  const { api_key: key } = created.json as { api_key: string };
  // An unknown flow: nothing runs, and the answer to a valid key is 200.
  const ask = async (headers: Record<string, string>) => {
    const body = JSON.stringify({ model: 'none', input: 'x' });
    const url = `${strictUrl}/api/v1/responses`;
    const json = { 'content-type': 'application/json', ...headers };
    return (await gateway.fetch(url, { method: 'POST', body, headers: json })).status;
  };
  const places = [{ 'x-api-key': key }, { authorization: `Bearer ${key}` }];
  const started = performance.now();
  const statuses = await Promise.all(Array.from({ length: 20 }, (_, index) => ask(places[index % 2] ?? {})));
  const seconds = (performance.now() - started) / 1_000;
  expect(new Set(statuses)).toEqual(new Set([200, 429]));
  expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(2 + 2 * seconds);
});
