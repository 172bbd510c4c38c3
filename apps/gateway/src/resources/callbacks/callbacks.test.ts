import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '@millrace/service/testing';
import { gatewayForTests } from '../../testing/test-gateway';

const examples = join(__dirname, '../../../../../examples');
const echo = JSON.parse(readFileSync(join(examples, 'echo.json'), 'utf8')) as object;
const UNKNOWN = '11111111-1111-4111-8111-111111111111';

interface Delivery {
  readonly id: string;
  readonly run_id: string;
  readonly url: string;
  readonly state: string;
}

let flow: string;
const gateway = gatewayForTests();
beforeAll(async () => {
  flow = await gateway.createFlow({ ...echo, name: 'reported' });
  for (const [name, value] of [
    ['A', 'whsec_YQ=='],
    ['B', 'whsec_Yg=='],
    ['BROKER', 'amqps://user:password@broker.test/'],
    ['ADDRESS', 'https://broker.test/'],
  ])
    await call('POST', '/variables/', { name, value, type: 'Credential', default_fields: [] });
}, 60_000);

const call = (method: string, path: string, body?: unknown) => gateway.call(method, `/api/v1${path}`, body);
const run = (headers: Record<string, string>, path = `/run/${flow}`) =>
  gateway.call('POST', `/api/v1${path}`, { input_value: 'x' }, headers);
const deliveries = async (query = '') =>
  (await call('GET', `/callbacks${query}`)).json as readonly Delivery[];
const url = 'https://receiver.test/done';

test.each(['/run/', '/run/advanced/'])(
  'POST /api/v1%s{flow} reports the end of the run to the address of its headers',
  async (path) => {
    const body = path === '/run/' ? { input_value: 'x' } : { inputs: [{ input_value: 'x' }] };
    const headers = { 'x-callback-url': url, 'x-callback-secret': 'A, B', 'x-callback-on': 'finished,dead' };
    const answer = await gateway.call('POST', `/api/v1${path}${flow}`, body, headers);
    expect(answer.status).toBe(200);
    const runId = answer.headers.get('x-run-id') ?? '';
    await until(async () => (await deliveries(`?run_id=${runId}`)).length > 0);
    expect(await deliveries(`?run_id=${runId}`)).toMatchObject([
      { run_id: runId, flow_id: flow, kind: 'finished', url, state: 'pending', attempts: 0 },
    ]);
    const stored = await gateway.database.query<{ secrets: string; durable: boolean }>({
      text: 'SELECT secrets, durable FROM callback_deliveries JOIN runs ON runs.id = run_id WHERE run_id = $1',
      values: [runId],
    });
    expect(stored.rows).toMatchObject([{ durable: true }]);
    expect(JSON.parse(stored.rows[0]?.secrets ?? '')).toEqual(['A', 'B']);
  },
);

test('a run in the background that is cancelled reports that', async () => {
  const headers = { 'x-callback-url': url, 'x-callback-secret': 'A', prefer: 'respond-async' };
  const { json } = await run(headers);
  const { run_id: runId } = json as { readonly run_id: string };
  await call('POST', `/runs/${runId}/cancel`);
  await until(async () => (await deliveries(`?run_id=${runId}`)).length > 0);
  expect((await deliveries(`?run_id=${runId}`)).length).toBe(1);
});

test.each([
  [{ 'x-callback-url': 'ftp://receiver.test', 'x-callback-secret': 'A' }, 'x-callback-url'],
  [{ 'x-callback-url': 'https://user:password@receiver.test', 'x-callback-secret': 'A' }, 'x-callback-url'],
  [
    { 'x-callback-url': `https://receiver.test/${'x'.repeat(2_000)}`, 'x-callback-secret': 'A' },
    'x-callback-url',
  ],
  [{ 'x-callback-url': 'https://[receiver', 'x-callback-secret': 'A' }, 'x-callback-url'],
  [{ 'x-callback-url': url }, 'x-callback-secret'],
  [{ 'x-callback-url': url, 'x-callback-secret': 'A,B,C' }, 'x-callback-secret'],
  [{ 'x-callback-url': url, 'x-callback-secret': 'A,MISSING_SECRET' }, 'x-callback-secret'],
  [{ 'x-callback-url': url, 'x-callback-secret': 'A', 'x-callback-on': 'started' }, 'x-callback-on'],
] as const)('refuses %j', async (headers, name) => {
  const { status, json } = await run(headers);
  expect([status, json]).toMatchObject([422, { detail: [{ loc: ['header', name] }] }]);
});

test('a flow is saved with callbacks, and refused with an address or a kind that is none', async () => {
  const save = (callbacks: unknown) => call('PATCH', `/flows/${flow}`, { settings: { callbacks } });
  expect((await save([{ url, secrets: ['A'], on: ['dead'], result: 'omit' }])).status).toBe(200);
  for (const wrong of [
    [{ url: 'receiver.test', secrets: ['A'] }],
    [{ url, secrets: [] }],
    [{ url }],
    [{ url, secrets: ['A'], on: ['ended'] }],
    { url, secrets: ['A'] },
  ])
    expect((await save(wrong)).status).toBe(422);
  expect((await save([])).status).toBe(200);
});

const amqp = (connection: string) => ({ amqp: { connection, exchange: '', routingKey: 'ends' } });

test.each([
  [
    { callbacks: [{ url, secrets: ['A', 'MISSING_SECRET'] }] },
    ['callbacks', 0, 'secrets', 1],
    'MISSING_SECRET',
  ],
  [
    { callbacks: [amqp('BROKER'), amqp('MISSING_BROKER')] },
    ['callbacks', 1, 'amqp', 'connection'],
    'MISSING_BROKER',
  ],
  [{ callbacks: [amqp('ADDRESS')] }, ['callbacks', 0, 'amqp', 'connection'], 'ADDRESS'],
  [
    { webhook: { signature: { scheme: 'github', secrets: ['a'] } } },
    ['webhook', 'signature', 'secrets', 0],
    'a',
  ],
  [
    { webhook: { challenge: { scheme: 'meta', secrets: ['B', 'VERIFY_TOKEN'] } } },
    ['webhook', 'challenge', 'secrets', 1],
    'VERIFY_TOKEN',
  ],
])('settings that name a variable which cannot be used are refused: %j', async (settings, place, name) => {
  const refusal = {
    status: 422,
    json: {
      detail: [
        {
          type: 'variable_unknown',
          loc: ['body', 'settings', ...place],
          msg: expect.stringContaining(`variable ${name} `),
        },
      ],
    },
  };
  const body = { ...echo, name: 'refused', settings };
  expect(await call('POST', '/flows/', body)).toMatchObject(refusal);
  expect(await call('POST', '/flows/check', body)).toMatchObject(refusal);
  expect(await call('POST', '/flows/batch/', { flows: [body] })).toMatchObject(refusal);
  expect(await call('PATCH', `/flows/${flow}`, { settings })).toMatchObject(refusal);
  expect(await call('PUT', `/flows/${flow}`, body)).toMatchObject(refusal);
  expect((await call('GET', `/flows/${flow}`)).json).toMatchObject({ name: 'reported' });
});

test.each(['http://x:port/', 'http://[::1]:99999/', 'http://%zz/'])(
  'an address that no request can be sent to is refused: %s',
  async (address) => {
    const settings = { callbacks: [{ url: address, secrets: ['A'] }] };
    const item = { type: 'value_error', loc: ['body', 'settings', 'callbacks', 0, 'url'] };
    expect(await call('PATCH', `/flows/${flow}`, { settings })).toMatchObject({
      status: 422,
      json: { detail: [item] },
    });
  },
);

test('a flow whose variable was deleted later is changed in its other members', async () => {
  const stored = await call('POST', '/variables/', { name: 'BRIEF', value: 'x', type: 'Credential' });
  const settings = { callbacks: [{ url, secrets: ['BRIEF'] }] };
  const id = await gateway.createFlow({ ...echo, name: 'brief', settings });
  await call('DELETE', `/variables/${(stored.json as { readonly id: string }).id}`);
  expect((await call('PATCH', `/flows/${id}`, { name: 'renamed' })).status).toBe(200);
  expect((await call('PATCH', `/flows/${id}`, { settings: { concurrency: 2 } })).status).toBe(200);
  expect((await call('PATCH', `/flows/${id}`, { settings: { callbacks: null } })).status).toBe(200);
});

test('a delivery is read with its log, replayed and deleted', async () => {
  const answer = await run({ 'x-callback-url': url, 'x-callback-secret': 'A' });
  const runId = answer.headers.get('x-run-id') ?? '';
  await until(async () => (await deliveries(`?run_id=${runId}`)).length > 0);
  const [{ id = '' } = {}] = await deliveries(`?run_id=${runId}`);
  await gateway.callbacks.take({ limit: 100, perTarget: 100, places: new Map() });
  const failed = { milliseconds: 3, status: 500, error: 'The receiver answered 500.', answer: 'no' };
  await gateway.callbacks.finish({ id, attempt: 1, retryIn: 'never', ...failed });
  expect((await deliveries('?state=dead')).map((delivery) => delivery.id)).toContain(id);
  expect((await call('GET', `/callbacks/${id}`)).json).toMatchObject({
    id,
    state: 'dead',
    last_status: 500,
    next_attempt_at: null,
    log: [{ number: 1, status: 500, answer: 'no' }],
  });
  const replayed = await call('POST', '/callbacks/replay', { callbacks: [id, UNKNOWN] });
  expect([replayed.status, replayed.json]).toEqual([202, { replayed: [id] }]);
  expect((await call('POST', `/callbacks/${id}/replay`)).json).toEqual({ replayed: [] });
  expect((await call('DELETE', `/callbacks/${id}`)).status).toBe(204);
  expect((await call('GET', `/callbacks/${id}`)).status).toBe(404);
});
