import { until } from '@millrace/service/testing';
import { gatewayForTests, openTestGateway } from '../../testing/test-gateway';

const UNKNOWN = '11111111-1111-4111-8111-111111111111';

interface Trigger {
  readonly id: string;
  readonly state: string;
  readonly next_fire_at: string | null;
  readonly config: Record<string, unknown>;
}

let flow: string;
const gateway = gatewayForTests();
beforeAll(async () => {
  flow = await gateway.createFlow({ name: 'triggered', data: { nodes: [], edges: [] } });
}, 60_000);

const call = (method: string, path: string, body?: unknown) => gateway.call(method, `/api/v1${path}`, body);
const create = async (body: object): Promise<Trigger> =>
  (await call('POST', '/triggers', { flow_id: flow, name: 'x', kind: 'schedule', ...body })).json;
const schedule = (config: object = { cron: '0 8 * * 1-5', timezone: 'Europe/Lisbon' }) => create({ config });

const nodeFlow = (cron = '0 8 * * 1-5') => ({
  nodes: [
    {
      id: 'ScheduleTrigger-a',
      data: {
        id: 'ScheduleTrigger-a',
        type: 'ScheduleTrigger',
        node: { template: { cron_expression: { value: cron, type: 'str' } } },
      },
    },
  ],
  edges: [],
});

test('a schedule is created pending, fires from the time it is enabled, and keeps its time while it is paused', async () => {
  const { id, state, next_fire_at: before } = await schedule();
  expect([state, before]).toEqual(['pending', null]);
  const enabled = (await call('POST', `/triggers/${id}/enable`)).json as Trigger;
  expect(enabled.state).toBe('active');
  expect(Date.parse(enabled.next_fire_at ?? '')).toBeGreaterThan(Date.now());
  const paused = (await call('POST', `/triggers/${id}/disable`)).json as Trigger;
  expect(paused).toMatchObject({ state: 'paused', next_fire_at: enabled.next_fire_at });
});

test('a change of an active schedule takes effect at once', async () => {
  const { id } = await schedule();
  await call('POST', `/triggers/${id}/enable`);
  const changed = (await call('PATCH', `/triggers/${id}`, { config: { every_seconds: 60 } })).json as Trigger;
  expect(Date.parse(changed.next_fire_at ?? '') - Date.now()).toBeLessThan(61_000);
  expect(changed.config).toEqual({ every_seconds: 60, timezone: 'UTC', catchup_policy: 'coalesce' });
});

test.each([
  [{ cron: '0 8 * *' }, 422],
  [{ cron: '0 0 30 2 *' }, 422],
  [{ cron: '* * * * *', timezone: 'Mars/Base' }, 422],
  [{ at: '2020-01-01T00:00:00Z' }, 422],
])('refuses the schedule %j', async (config, status) => {
  const answer = await call('POST', '/triggers', { flow_id: flow, name: 'x', kind: 'schedule', config });
  expect(answer.status).toBe(status);
  expect((answer.json as { detail: unknown }).detail).toEqual(expect.any(String));
});

test('a schedule is created without a configuration, and is configured before it is enabled', async () => {
  const { id, config } = await create({ config: {} });
  expect(config).toEqual({});
  expect((await call('POST', `/triggers/${id}/enable`)).status).toBe(409);
  expect((await call('PATCH', `/triggers/${id}`, { config: {} })).status).toBe(422);
  const changed = await call('PATCH', `/triggers/${id}`, { config: { cron: '0 8 * * *', note: 'mine' } });
  expect(changed.json).toMatchObject({ config: { cron: '0 8 * * *', note: 'mine', timezone: 'UTC' } });
  expect((await call('POST', `/triggers/${id}/enable`)).status).toBe(200);
  const active = { flow_id: flow, name: 'x', kind: 'schedule', config: {}, state: 'active' };
  expect((await call('POST', '/triggers', active)).status).toBe(422);
});

test.each([
  [{ name: null }, 422],
  [{ config: null }, 422],
  [{ max_attempts: null }, 422],
  [{ binding_target: null }, 422],
  [{ binding_target: 'deployment' }, 422],
  [{ deployment_id: UNKNOWN }, 422],
  [{ connection_id: UNKNOWN }, 422],
  [{ flow_version_id: UNKNOWN }, 404],
  [{ flow_version_id: null, binding_target: 'flow', deployment_id: null, connection_id: null }, 200],
])('answers a change of a trigger to %j with %i', async (changes, status) => {
  const { id } = await schedule();
  expect((await call('PATCH', `/triggers/${id}`, changes)).status).toBe(status);
});

test('an invalid schedule of a node cannot be enabled, and a removed node is paused', async () => {
  const own = await gateway.createFlow({ name: 'with a node', data: nodeFlow('0 8 * *') });
  const list = async () => (await call('GET', `/triggers?flow_id=${own}`)).json as Trigger[];
  const [made] = await list();
  expect((await call('POST', `/triggers/${made?.id}/enable`)).status).toBe(409);
  await call('PATCH', `/flows/${own}`, { data: nodeFlow('0 9 * * *') });
  expect((await call('POST', `/triggers/${made?.id}/enable`)).status).toBe(200);
  await call('PATCH', `/flows/${own}`, { data: { nodes: [], edges: [] } });
  expect(await list()).toMatchObject([{ state: 'paused', last_error: 'trigger node removed from the flow' }]);
  expect((await call('POST', `/triggers/${made?.id}/enable`)).status).toBe(409);
});

test('a test event starts a run, and a replay of it a second one with the same payload', async () => {
  const { id } = await create({ kind: 'inbound_webhook', concurrency_limit: 10 });
  const tested = (await call('POST', `/triggers/${id}/test`, { payload: { n: 1, test: 'mine' } }))
    .json as never;
  expect(tested).toMatchObject({
    state: 'pending',
    payload: { n: 1, test: true },
    job_id: null,
    session_id: null,
  });
  const replayed = await call('POST', `/triggers/${id}/replay`, { event_id: (tested as { id: string }).id });
  expect(replayed.status).toBe(202);
  await until(async () => {
    const events = (await call('GET', `/triggers/${id}/events`)).json as { state: string }[];
    return events.length === 2 && events.every(({ state }) => state !== 'pending');
  });
  const [second, first] = (await call('GET', `/triggers/${id}/events`)).json as Record<string, unknown>[];
  expect(second).toMatchObject({ replay_of_event_id: first?.['id'], payload: { n: 1, test: true } });
  expect(first?.['session_id']).toBe(`trigger:${id}:${String(first?.['id'])}`);
  expect((await call('GET', `/runs/${String(first?.['job_id'])}`)).json).toMatchObject({
    origin: 'webhook',
    trigger: { id, name: 'x', kind: 'inbound_webhook' },
  });
  expect((await call('GET', `/runs?flow_id=${flow}`)).json).toMatchObject({
    runs: [{ trigger: { id } }, { trigger: { id } }],
  });
  expect((await call('POST', `/triggers/${id}/replay`, { event_id: UNKNOWN })).status).toBe(404);
});

test('a test event takes a payload alone', async () => {
  const { id } = await create({ kind: 'inbound_webhook' });
  expect((await call('POST', `/triggers/${id}/test`, { payloads: {} })).status).toBe(422);
});

test('a paused trigger starts no run with a test event', async () => {
  const { id } = await create({ kind: 'inbound_webhook', state: 'paused' });
  const answer = await call('POST', `/triggers/${id}/test`, {});
  expect([answer.status, answer.json]).toEqual([409, { detail: 'The trigger is paused.' }]);
});

test('a trigger is pinned to a version by its id, and follows the newest one again with null', async () => {
  const own = await gateway.createFlow({ name: 'pinned', data: nodeFlow() });
  const [{ id }] = (await call('GET', `/triggers?flow_id=${own}`)).json as [Trigger];
  await call('PATCH', `/flows/${own}`, { data: nodeFlow('0 9 * * *') });
  const { versions } = (await call('GET', `/flows/${own}/versions`)).json as { versions: { id: string }[] };
  const pin = async (version: string | null) =>
    (await call('POST', `/triggers/${id}/pin`, { flow_version_id: version })).json as Record<string, unknown>;
  expect(versions).toHaveLength(2);
  expect((await pin(versions[1]?.id ?? ''))['flow_version_id']).toBe(versions[1]?.id);
  expect((await pin(null))['flow_version_id']).toBeNull();
  expect((await call('POST', `/triggers/${id}/pin`, { flow_version_id: UNKNOWN })).json).toEqual({
    detail: "Flow version not found for this trigger's flow.",
  });
});

test('the signing secret is shown once, and only inbound webhooks have one', async () => {
  const { id } = await create({ kind: 'inbound_webhook' });
  const made = (await call('POST', `/triggers/${id}/signing-secret`)).json as Record<string, string>;
  const read = await call('GET', `/triggers/${id}/ingress`);
  expect(made['ingress_url']).toBe(`${gateway.url}/api/v1/triggers/ingress/webhook/${made['public_id']}`);
  expect(read.text).not.toContain(made['signing_secret'] ?? '?');
  expect(read.json).toMatchObject({ public_id: made['public_id'], has_signing_secret: true });
  expect(made['public_id']).toHaveLength(32);
  const other = await schedule();
  expect((await call('POST', `/triggers/${other.id}/signing-secret`)).status).toBe(409);
  expect((await call('GET', `/triggers/${other.id}/ingress`)).status).toBe(409);
});

test('schedules are listed with their next ten times, and a configuration is previewed', async () => {
  const { id } = await schedule();
  const read = (await call('GET', `/schedules/${id}`)).json as { next_times: string[] };
  expect(read.next_times).toHaveLength(10);
  const listed = (await call('GET', '/schedules?limit=200')).json as { id: string }[];
  expect(listed.map((listedSchedule) => listedSchedule.id)).toContain(id);
  const preview = await call('POST', '/schedules/preview', {
    config: { cron: '30 2 * * *', timezone: 'America/New_York' },
  });
  expect((preview.json as { next_times: string[] }).next_times).toHaveLength(10);
  expect((await call('POST', '/schedules/preview', { config: { cron: 'x' } })).status).toBe(422);
  const text = 'UPDATE triggers SET config = $2 WHERE id = $1';
  await gateway.database.query({ text, values: [id, '{"cron":"x"}'] });
  expect(await call('GET', `/schedules/${id}`)).toMatchObject({ status: 200, json: { next_times: [] } });
});

test('the limit of triggers applies to the API and to nodes', async () => {
  const small = await openTestGateway({ limits: { userTriggers: 1 } });
  try {
    const id = await small.createFlow({ name: 'first', data: nodeFlow() });
    const body = { flow_id: id, name: 'x', kind: 'inbound_webhook' };
    expect((await small.call('POST', '/api/v1/triggers', body)).status).toBe(429);
    const second = await small.call('POST', '/api/v1/flows/', { name: 'second', data: nodeFlow() });
    expect(second.status).toBe(429);
    expect(((await small.call('GET', '/api/v1/flows/')).json as unknown[]).length).toBe(1);
  } finally {
    await small.close();
  }
});
