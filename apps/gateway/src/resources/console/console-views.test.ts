import { workerKey } from '@millrace/dispatch';
import { makeTenant } from '../../testing/tenant';
import type { Tenant } from '../../testing/tenant';
import { gatewayForTests, TEST_KEY } from '../../testing/test-gateway';

let tenant: Tenant;
const gateway = gatewayForTests({
  environment: {
    MILLRACE_BOOTSTRAP_API_KEY: TEST_KEY,
    MILLRACE_PUBLIC_URL: 'https://user:canary@mill.example',
  },
});
beforeAll(async () => {
  tenant = await makeTenant(gateway, 'tenant');
}, 60_000);

test('admins see executors with their slots, and pools with their backlog', async () => {
  const python = { python: '3.12.1', lfx: '1.13.0', packageSet: 'core', seal: 'sealed' };
  const state = {
    worker: 'one',
    pool: 'gpu',
    concurrency: 8,
    inHand: 3,
    version: '0.1.0',
    isAway: false,
    python,
  };
  const seenAt = new Date().toISOString();
  await gateway.keyValue.set(workerKey('one'), JSON.stringify({ ...state, answers: true, seenAt }));
  const { status, json } = await gateway.call('GET', '/api/v1/workers');
  expect(status).toBe(200);
  expect(json).toMatchObject({
    counted_at: expect.any(String),
    workers: [
      {
        id: 'one',
        pool: 'gpu',
        slots: 8,
        busy: 3,
        version: '0.1.0',
        seen_at: seenAt,
        connected: true,
        python: { python: '3.12.1', lfx: '1.13.0', package_set: 'core', seal: 'sealed' },
      },
    ],
    pools: expect.arrayContaining([
      expect.objectContaining({ pool: 'gpu', executors: 1, slots: 8, busy_runs: 3, waiting_runs: 0 }),
      expect.objectContaining({
        pool: 'default',
        backlog: expect.objectContaining({ oldest_seconds: null }),
      }),
    ]),
  });
});

test('admins see the checks of dependencies, and the answer is 200 when one fails', async () => {
  gateway.health.add('down', () => Promise.reject(new Error('no connection')), {
    timeoutMilliseconds: 1_000,
  });
  const { status, json } = await gateway.call('GET', '/api/v1/system/health');
  expect(status).toBe(200);
  expect(json).toMatchObject({
    ready: false,
    instance: gateway.instance,
    checks: expect.arrayContaining([
      { name: 'down', ok: false, milliseconds: expect.any(Number), error: 'no connection', details: null },
    ]),
  });
});

test('admins see the settings in force without secrets', async () => {
  const { status, json, text } = await gateway.call('GET', '/api/v1/system/settings');
  expect(status).toBe(200);
  expect(text).not.toContain(TEST_KEY);
  expect(text).not.toContain('canary');
  const { settings } = json as { settings: { name: string }[] };
  expect(settings).toContainEqual(
    expect.objectContaining({ name: 'MILLRACE_SHUTDOWN_SECONDS', value: 2, default: false, secret: false }),
  );
  expect(settings).toContainEqual(
    expect.objectContaining({ name: 'MILLRACE_BOOTSTRAP_API_KEY', value: '(hidden)', secret: true }),
  );
});

test.each(['/api/v1/workers', '/api/v1/system/health', '/api/v1/system/settings'])(
  '%s is for admins',
  async (path) => {
    expect((await tenant.call('GET', path)).status).toBe(403);
  },
);

test('an admin reads the run of another user and its trace, and a user does not', async () => {
  const path = `/api/v1/runs/${tenant.ids.run}`;
  for (const part of ['', '/trace']) {
    expect((await gateway.call('GET', path + part)).status).toBe(404);
    expect((await gateway.call('GET', `${path}${part}?all_users=true`)).status).toBe(200);
    expect((await tenant.call('GET', `${path}${part}?all_users=true`)).status).toBe(403);
  }
  expect((await gateway.call('GET', `${path}?all_users=true`)).json).toMatchObject({
    id: tenant.ids.run,
    worker: expect.anything(),
  });
});

test('a run shows its request to its owner, without the values of variables', async () => {
  const headers = { 'x-langflow-global-var-token': 'canary' };
  const { ids } = tenant;
  const tweaks = { ChatInput: { sender_name: 'Ada' } };
  const body = { input_value: 'hello', session_id: 'own', tweaks };
  const run = await gateway.call('POST', `/api/v1/run/${ids.flow}`, body, {
    ...headers,
    'x-api-key': tenant.key,
  });
  const id = run.headers.get('x-run-id') ?? '';
  const { status, json, text } = await tenant.call('GET', `/api/v1/runs/${id}/request`);
  expect([status, text.includes('canary')]).toEqual([200, false]);
  expect(json).toMatchObject({
    run_id: id,
    form: 'simple',
    inputs: [{ input_value: 'hello' }],
    session_id: 'own',
    tweaks,
    global_variables: ['TOKEN'],
    webhook_payload: null,
  });
  expect((await gateway.call('GET', `/api/v1/runs/${id}/request`)).status).toBe(404);
});
