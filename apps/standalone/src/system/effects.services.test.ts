import { createServer } from 'node:http';
import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { node, wire } from './flow-nodes';
import { startTestSystem } from './test-system';
import type { TestSystem } from './test-system';

let system: TestSystem;
let sink: Server;
let orders = 0;
const waiting: ServerResponse[] = [];

beforeAll(async () => {
  sink = createServer((request, response) => {
    if (request.method === 'POST') {
      orders += 1;
      response.writeHead(201, { 'content-type': 'application/json' }).end(`{"order":${orders}}`);
    } else waiting.push(response);
  });
  await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve));
  system = await startTestSystem({ pools: { default: 1 } });
}, 120_000);

afterAll(async () => {
  sink?.closeAllConnections();
  sink?.close();
  await system?.stop();
}, 60_000);

async function asked(count: number): Promise<void> {
  for (let tries = 0; waiting.length < count; tries += 1) {
    if (tries === 300) throw new Error('the second request did not come');
    await pause(100);
  }
}

/** Orders something, then asks something that takes long. */
function orderingFlow(settings: Record<string, unknown>) {
  const { port } = sink.address() as AddressInfo;
  const url_input = `http://127.0.0.1:${port}/`;
  return {
    name: 'orders',
    endpoint_name: 'orders',
    settings,
    data: {
      nodes: [
        node('APIRequest-a', { url_input, method: 'POST' }, 'data'),
        node('APIRequest-b', { url_input, method: 'GET', query_params: '' }, 'data'),
        node('ChatOutput-z', {}, 'message'),
      ],
      edges: [
        wire(['APIRequest-a', 'data'], ['APIRequest-b', 'query_params']),
        wire(['APIRequest-b', 'data'], ['ChatOutput-z', 'input_value']),
      ],
    },
  };
}

test('an executor that is killed after an effect does not have it twice', async () => {
  expect((await system.post('/api/v1/flows/', orderingFlow({ durable: true }))).status).toBe(201);
  const answer = system.post('/api/v1/run/orders', {});
  await asked(1);
  expect(orders).toBe(1);
  const [victim] = system.executors;
  victim?.kill();
  await victim?.exited;
  system.executors.push(await system.startExecutor());
  await asked(2);
  for (const response of waiting) response.end('"second"');
  const response = await answer;
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('second')]);
  expect(orders).toBe(1);
  const run = await system.getJson<{ attempt: number }>(`/api/v1/runs/${response.headers.get('x-run-id')}`);
  expect(run.attempt).toBe(2);
}, 60_000);
