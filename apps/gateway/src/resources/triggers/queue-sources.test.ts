import { gatewayForTests } from '../../testing/test-gateway';

let flow: string;
const gateway = gatewayForTests({ limits: { userQueueSources: 3 } });
beforeAll(async () => {
  flow = await gateway.createFlow({ name: 'queued', data: { nodes: [], edges: [] } });
  await variable('BROKER', 'amqps://user:secret@broker.test/orders');
  await variable('PLAIN', 'amqp://broker.test', 'Generic');
  await variable('PAGE', 'https://broker.test');
}, 60_000);

const call = (method: string, path: string, body?: unknown) => gateway.call(method, `/api/v1${path}`, body);
const variable = (name: string, value: string, type = 'Credential') =>
  call('POST', '/variables/', { name, value, type, default_fields: [] });
const create = (config: object, changes: object = {}) =>
  call('POST', '/triggers', { flow_id: flow, name: 'orders', kind: 'rabbitmq', config, ...changes });

test('a source has its configuration with defaults, and shows how it goes without its URL', async () => {
  const created = await create({ connection: 'BROKER', queue: 'orders' });
  expect(created.status).toBe(201);
  expect(created.json).toMatchObject({
    kind: 'rabbitmq',
    state: 'pending',
    config: { connection: 'BROKER', queue: 'orders', prefetch: 100, dedupe_by: 'message_id', body: 'json' },
    source: { state: 'stopped', since: null, last_error: null, last_error_at: null },
  });
  const { id } = created.json as { readonly id: string };
  const enabled = await call('POST', `/triggers/${id}/enable`);
  expect(enabled.json).toMatchObject({ state: 'active', source: { state: 'waiting' } });
  await gateway.database.query({
    text: `INSERT INTO queue_sources (trigger_id, owner, lease_until, state, state_at, error, error_at)
      VALUES ($1, 'process', now() + interval '1 hour', 'failing', now(), 'refused', now())`,
    values: [id],
  });
  const read = await call('GET', `/triggers/${id}`);
  expect(read.json).toMatchObject({
    source: { state: 'failing', since: expect.stringMatching(/^20/), last_error: 'refused' },
  });
  expect(read.text).not.toContain('secret');
  expect((await call('GET', `/triggers/${id}/rejections`)).json).toEqual([]);
  expect((await call('DELETE', `/triggers/${id}`)).status).toBe(204);
});

test.each([
  [{ connection: 'BROKER' }, 'queue must be the name of a queue, of at most 255 bytes.'],
  [{ connection: 'BROKER', queue: 'q', prefetch: 501 }, 'prefetch must be an integer from 1 to 500.'],
  [{ connection: 'NONE', queue: 'q' }, 'The variable NONE of type Credential does not exist.'],
  [{ connection: 'PLAIN', queue: 'q' }, 'The variable PLAIN of type Credential does not exist.'],
  [{ connection: 'PAGE', queue: 'q' }, 'The value of the variable PAGE is not a URL over amqp or amqps.'],
])('the configuration %j is refused', async (config, detail) => {
  const answer = await create(config);
  expect([answer.status, (answer.json as { detail: unknown }).detail]).toEqual([422, detail]);
});

test('a source of a deleted variable is not enabled', async () => {
  const made = (await variable('SHORT', 'amqp://broker.test')).json as { readonly id: string };
  const { id } = (await create({ connection: 'SHORT', queue: 'q' })).json as { readonly id: string };
  expect(
    (await call('PATCH', `/triggers/${id}`, { config: { connection: 'SHORT', queue: 'r' } })).status,
  ).toBe(200);
  await call('DELETE', `/variables/${made.id}`);
  expect((await call('POST', `/triggers/${id}/enable`)).status).toBe(409);
  expect(
    (await call('PATCH', `/triggers/${id}`, { config: { connection: 'SHORT', queue: 'r' } })).status,
  ).toBe(422);
  await call('DELETE', `/triggers/${id}`);
});

test('a test and a replay start runs with the body as the components of the flow read it', async () => {
  const config = { connection: 'BROKER', queue: 'q', input_value: '/question' };
  const { id } = (await create(config, { state: 'active' })).json as { readonly id: string };
  const tested = await call('POST', `/triggers/${id}/test`, { payload: { question: 'why?' } });
  expect(tested.status).toBe(202);
  const payload =
    '{"provider":"rabbitmq","message":{"message_id":"1"},"delivery":{"question":"how?","price":1.0}}';
  const event = (tested.json as { readonly id: string }).id;
  await gateway.database.query({
    text: `UPDATE trigger_events SET payload = $2 WHERE id = $1`,
    values: [event, payload],
  });
  expect((await call('POST', `/triggers/${id}/replay`, { event_id: event })).status).toBe(202);
  const { rows } = await gateway.database.query<{ request: string }>({
    text: `SELECT runs.request::text AS request FROM trigger_events JOIN runs ON runs.id = run_id WHERE trigger_id = $1
      ORDER BY trigger_events.created_at, trigger_events.id`,
    values: [id],
  });
  const inputs = rows.map(({ request }) => {
    const { inputs: given, webhookPayload } = JSON.parse(request) as {
      readonly inputs: readonly { readonly inputValue: string }[];
      readonly webhookPayload: string;
    };
    return [given[0]?.inputValue, webhookPayload];
  });
  expect(inputs).toEqual([
    ['why?', '{"question":"why?","test":true}'],
    ['how?', '{"question":"how?","price":1.0}'],
  ]);
  await call('DELETE', `/triggers/${id}`);
});

test('a user has a limited number of sources', async () => {
  const config = { connection: 'BROKER', queue: 'q' };
  const statuses: number[] = [];
  for (let count = 0; count < 4; count += 1) statuses.push((await create(config)).status);
  expect(statuses).toEqual([201, 201, 201, 429]);
});
