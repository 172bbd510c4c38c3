import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServiceProcess } from '@millrace/scaled-system';
import type { ServiceProcess } from '@millrace/scaled-system';
import { until } from '@millrace/service/testing';

interface StoredRun {
  readonly id: string;
  readonly status: string;
  readonly flow_version: number;
  readonly replay_of: string | null;
}

const directory = mkdtempSync(join(tmpdir(), 'millrace-found-runs-'));
let service: ServiceProcess;
let url: string;
let key: string;

beforeAll(async () => {
  const lines: string[] = [];
  service = await startServiceProcess({
    app: 'standalone',
    flags: ['--port', '0', '--data', directory],
    environment: { DATABASE_URL: '', AMQP_URL: '', REDIS_URL: '', LOG_LEVEL: 'info' },
    print: (line) => lines.push(line),
  });
  url = `http://127.0.0.1:${String(service.ready['port'])}`;
  key = /sk-[\w-]{43}/.exec(lines.join('\n'))?.[0] ?? '';
}, 120_000);

afterAll(async () => {
  await service?.stop();
  rmSync(directory, { recursive: true, force: true });
}, 60_000);

async function call<Body>(method: string, path: string, body?: unknown): Promise<Body> {
  const answer = await fetch(url + path, {
    method,
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Body;
}

const runs = async (query: string) =>
  (await call<{ runs: StoredRun[] }>('GET', `/api/v1/runs?${query}`)).runs;

test('failed runs are found, their flow is rolled back, and they are replayed together', async () => {
  const good = JSON.parse(readFileSync(join(__dirname, '../../examples/order-webhook.json'), 'utf8')) as {
    data: { nodes: { data: { type: string } }[] };
  };
  const broken = structuredClone(good);
  for (const { data } of broken.data.nodes) if (data.type !== 'Webhook') data.type = 'NoSuchComponent';
  const { id } = await call<{ id: string }>('POST', '/api/v1/flows/', {
    ...good,
    name: 'orders',
    endpoint_name: 'orders',
  });
  await call('PATCH', `/api/v1/flows/${id}`, { data: broken.data });
  const order = { customer: 'Ann', quantity: 3, product: 'pencils' };
  for (let count = 0; count < 3; count += 1) await call('POST', '/api/v1/webhook/orders', order);
  const failures = `error_code=flow_refused&flow_id=${id}`;
  await until(async () => (await runs(failures)).length === 3);
  const failed = await runs(`${failures}&status=failed&flow_version=2`);
  expect(failed).toHaveLength(3);

  const activated = await call<object>('POST', `/api/v1/flows/${id}/versions/1/activate`);
  expect(activated).toMatchObject({ version: 3, restored_from: 1 });
  const bulk = { action: 'replay', filter: { error_code: 'flow_refused', flow_id: id } };
  const counted = await call<{ count: number; token: string }>('POST', '/api/v1/runs/bulk', {
    ...bulk,
    dry_run: true,
  });
  expect(counted.count).toBe(3);
  await call('POST', '/api/v1/runs/bulk', { ...bulk, token: counted.token });
  await until(async () => (await runs(`flow_id=${id}&status=succeeded`)).length === 3);
  const replays = await runs(`flow_id=${id}&flow_version=3`);
  expect(new Set(replays.map((run) => run.replay_of))).toEqual(new Set(failed.map((run) => run.id)));

  const diff = await call<{ vertices: { changed: unknown[] } }>('GET', `/api/v1/flows/${id}/versions/2/diff`);
  expect(diff.vertices.changed).not.toEqual([]);
}, 120_000);
