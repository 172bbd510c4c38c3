import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '@millrace/service/testing';
import { forAllTests } from '@millrace/testing';
import { readExample } from './console-standalone';
import { ApiRecorder } from './recorded-api';
import { startStandalone } from './start-standalone';

const FILE = join(__dirname, '../../apps/gateway/src/openapi/recorded-examples.json');
let api: ApiRecorder;

const app = forAllTests(startStandalone);
beforeAll(async () => {
  const admin = new ApiRecorder(app.url, app.key);
  // A user of their own has the flows and runs of this suite alone.
  const user = { operation: 'POST /api/v1/users', body: { username: 'ann' }, status: 201 };
  const { api_key: key } = await admin.call<{ api_key: string }>(user);
  api = new ApiRecorder(app.url, key);
}, 120_000);

interface Named {
  readonly id: string;
}

/** Uploads a flow without recording it. */
const upload = (example: string, endpoint: string, type?: string) => {
  const flow = readExample(example);
  for (const { data } of flow.data.nodes)
    if (type !== undefined && data.type === 'ParserComponent') data.type = type;
  const body = { ...flow, name: endpoint, endpoint_name: endpoint };
  return api.call<Named>({ operation: 'POST /api/v1/flows/', body, status: 201 });
};

/** Waits until the newest run of a flow has ended; resolves to its id. */
async function ended(flowId: string): Promise<string> {
  let id = '';
  await until(async () => {
    const query = `?flow_id=${flowId}&limit=1`;
    const { runs } = await api.call<{ runs: { id: string; finished_at: string | null }[] }>({
      operation: 'GET /api/v1/runs',
      query,
    });
    id = runs[0]?.id ?? '';
    return typeof runs[0]?.finished_at === 'string';
  });
  return id;
}

async function recordFlows(): Promise<void> {
  const body = {
    name: 'Greeting',
    description: 'Greets customers',
    endpoint_name: 'greeting',
    data: { nodes: [], edges: [] },
  };
  const { id } = await api.record<Named>({
    operation: 'POST /api/v1/flows/',
    title: 'A flow',
    body,
    status: 201,
  });
  const path = { flow_id: id };
  await api.record({
    operation: 'GET /api/v1/flows/',
    title: 'All flows without documents',
    query: '?get_all=true&header_flows=true',
  });
  await api.record({ operation: 'GET /api/v1/flows/:flow_id', title: 'A flow', path });
  await api.record({
    operation: 'PATCH /api/v1/flows/:flow_id',
    title: 'Settings',
    path,
    body: { settings: { deadlineSeconds: 30 } },
  });
  await api.record({ operation: 'GET /api/v1/flows/:flow_id/versions', title: 'The versions', path });
}

async function recordRuns(echo: string): Promise<void> {
  const run = { operation: 'POST /api/v1/run/:flow', path: { flow: 'echo-ann' } };
  await api.record({
    ...run,
    title: 'A message',
    body: { input_value: 'Where is my parcel?', session_id: 'ann-1' },
  });
  const path = { run_id: await ended(echo) };
  await api.record({
    ...run,
    title: 'In the background',
    headers: { prefer: 'respond-async' },
    body: { input_value: 'later' },
    status: 202,
  });
  await ended(echo);
  await api.record({
    operation: 'GET /api/v1/runs',
    title: 'The last run that succeeded',
    query: '?status=succeeded&limit=1',
  });
  await api.record({ operation: 'GET /api/v1/runs/:run_id', title: 'A run that succeeded', path });
  await api.record({ operation: 'GET /api/v1/runs/:run_id/request', title: 'What it was asked for', path });
  await api.record({ operation: 'GET /api/v1/runs/:run_id/attempts', title: 'One attempt', path });
  await api.record({ operation: 'GET /api/v1/runs/:run_id/waiting', title: 'A run that has ended', path });
  const workflow = { flow_id: echo, mode: 'background', input_value: 'hello' };
  await api.record({ operation: 'POST /api/v2/workflows', title: 'In the background', body: workflow });
  await ended(echo);
}

async function recordWebhooks(order: string): Promise<void> {
  const body = { customer: 'Ann', quantity: 3, product: 'pencils' };
  await api.record({
    operation: 'POST /api/v1/webhook/:flow',
    title: 'An order',
    path: { flow: 'orders-ann' },
    body,
    status: 202,
  });
  const path = { run_id: await ended(order) };
  await api.record({ operation: 'GET /api/v1/runs/:run_id', title: 'A run that failed', path });
  await api.record({ operation: 'POST /api/v1/runs/:run_id/replay', title: 'A replay', path, status: 202 });
  const filter = { status: ['failed'], error_code: 'flow_refused', flow_id: order };
  await ended(order);
  await api.record({
    operation: 'POST /api/v1/runs/bulk',
    title: 'Count first',
    body: { action: 'replay', filter, dry_run: true },
  });
  await api.call({
    operation: 'POST /api/v1/webhook/:flow',
    path: { flow: 'orders-ann' },
    headers: { 'content-encoding': 'br' },
    body,
    status: 415,
  });
  const list = { operation: 'GET /api/v1/flows/:flow_id/refused-deliveries', path: { flow_id: order } };
  await until(async () => (await api.call<{ refused: unknown[] }>(list)).refused.length > 0);
  await api.record({ ...list, title: 'A delivery with an encoding that is not accepted' });
}

async function recordTriggers(flow_id: string): Promise<void> {
  const config = { cron: '0 8 * * 1-5', timezone: 'Europe/Lisbon' };
  const body = { flow_id, name: 'every weekday', kind: 'schedule', state: 'active', config };
  await api.record({ operation: 'POST /api/v1/triggers', title: 'A schedule', body, status: 201 });
  const hook = { flow_id, name: 'orders', kind: 'inbound_webhook', state: 'active', config: {} };
  const { id: trigger_id } = await api.record<Named>({
    operation: 'POST /api/v1/triggers',
    title: 'A signed webhook',
    body: hook,
    status: 201,
  });
  const path = { trigger_id };
  await api.record({
    operation: 'POST /api/v1/triggers/:trigger_id/signing-secret',
    title: 'A new secret',
    path,
  });
  await api.call({
    operation: 'POST /api/v1/triggers/:trigger_id/test',
    path,
    body: { payload: { order: 7 } },
    status: 202,
  });
  await ended(flow_id);
  await api.record({ operation: 'GET /api/v1/triggers/:trigger_id/events', title: 'An event', path });
  await api.record({ operation: 'GET /api/v1/schedules', title: 'The schedules' });
  await api.record({
    operation: 'POST /api/v1/schedules/preview',
    title: 'Every 45 minutes',
    body: { config: { every_seconds: 2_700 } },
  });
}

async function recordKeys(): Promise<void> {
  // The use of a key is stored some time after its request.
  await until(async () => {
    const list = { operation: 'GET /api/v1/api_key/' };
    const { api_keys: keys } = await api.call<{ api_keys: { last_used_at: string | null }[] }>(list);
    return keys.every(({ last_used_at: usedAt }) => usedAt !== null);
  });
  const { id } = await api.record<Named>({
    operation: 'POST /api/v1/api_key/',
    title: 'A key',
    body: { name: 'shop' },
  });
  await api.record({ operation: 'GET /api/v1/api_key/', title: 'The keys, masked' });
  await api.record({
    operation: 'POST /api/v1/api_key/:api_key_id/rotate',
    title: 'A new key',
    path: { api_key_id: id },
    body: {},
  });
}

async function recordChat(): Promise<void> {
  await api.record({ operation: 'GET /v1/models', title: 'The flows' });
  const messages = [{ role: 'user', content: 'Where is my parcel?' }];
  await api.record({
    operation: 'POST /v1/chat/completions',
    title: 'A message',
    body: { model: 'echo-ann', messages },
  });
}

test('the examples of the API reference are what a server answers (MILLRACE_UPDATE_DOCS=1 records them)', async () => {
  await recordFlows();
  const [echo, order] = [
    await upload('echo', 'echo-ann'),
    await upload('order-webhook', 'orders-ann', 'NoSuchComponent'),
  ];
  await recordRuns(echo.id);
  await recordWebhooks(order.id);
  await recordTriggers(echo.id);
  await recordKeys();
  await recordChat();
  if (process.env['MILLRACE_UPDATE_DOCS'] === '1')
    writeFileSync(FILE, `${JSON.stringify(api.examples, null, 2)}\n`);
  expect(JSON.parse(readFileSync(FILE, 'utf8'))).toEqual(api.examples);
}, 120_000);
