import { createServer } from 'node:http';
import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { flowData, node } from '@millrace/testing';
import { startTestSystem } from './test-system';
import type { TestSystem } from './test-system';

let system: TestSystem;
let sink: Server;
let orders = 0;
const pendingResponses: ServerResponse[] = [];

beforeAll(async () => {
  sink = createServer((request, response) => {
    if (request.method === 'POST') {
      orders += 1;
      response.writeHead(201, { 'content-type': 'application/json' }).end(`{"order":${orders}}`);
    } else pendingResponses.push(response);
  });
  await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve));
  system = await startTestSystem({ pools: { default: 1 } });
}, 120_000);

afterAll(async () => {
  sink?.closeAllConnections();
  sink?.close();
  await system?.stop();
}, 60_000);

async function waitForRequests(count: number): Promise<void> {
  for (let tries = 0; pendingResponses.length < count; tries += 1) {
    if (tries === 300) throw new Error('the expected request did not arrive');
    await pause(100);
  }
}

/** Returns a flow that sends an order, then a request that takes long. */
function orderingFlow(settings: Record<string, unknown>) {
  const { port } = sink.address() as AddressInfo;
  const url_input = `http://127.0.0.1:${port}/`;
  return {
    name: 'orders',
    endpoint_name: 'orders',
    settings,
    data: flowData(
      [
        node('APIRequest-a', { url_input, method: 'POST' }, 'data'),
        node('APIRequest-b', { url_input, method: 'GET', query_params: '' }, 'data'),
        node('ChatOutput-z', {}, 'message'),
      ],
      ['APIRequest-a.data > APIRequest-b.query_params', 'APIRequest-b.data > ChatOutput-z.input_value'],
    ),
  };
}

test('a run whose executor is killed after an effect does not repeat the effect', async () => {
  expect((await system.post('/api/v1/flows/', orderingFlow({ durable: true }))).status).toBe(201);
  const answer = system.post('/api/v1/run/orders', {});
  await waitForRequests(1);
  expect(orders).toBe(1);
  const [victim] = system.executors;
  victim?.kill();
  await victim?.exited;
  system.executors.push(await system.startExecutor());
  await waitForRequests(2);
  for (const response of pendingResponses) response.end('"second"');
  const response = await answer;
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('second')]);
  expect(orders).toBe(1);
  const run = await system.getJson<{ attempt: number }>(`/api/v1/runs/${response.headers.get('x-run-id')}`);
  expect(run.attempt).toBe(2);
}, 60_000);
