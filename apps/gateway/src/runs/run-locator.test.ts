import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { controlTopology } from '@millrace/messages';
import type { ControlMessage } from '@millrace/messages';
import { createMetrics, uuidv7 } from '@millrace/service';
import { createGateway } from '../gateway';
import type { Gateway } from '../gateway';
import type { TakenJob } from '../testing/test-executor';
import { openTestGateway, TEST_KEY } from '../testing/test-gateway';
import type { TestGateway } from '../testing/test-gateway';

let gateway: TestGateway;
let other: Gateway;
let otherUrl: string;
let flowId: string;
const messages: ControlMessage[] = [];

beforeAll(async () => {
  gateway = await openTestGateway();
  flowId = await gateway.createFlow(
    JSON.parse(readFileSync(join(__dirname, '../../../../examples/echo.json'), 'utf8')) as Record<
      string,
      unknown
    >,
  );
  other = createGateway({ ...gateway, instance: 'another-gateway', metrics: createMetrics() });
  otherUrl = `http://127.0.0.1:${(await other.listen({ host: '127.0.0.1', port: 0 })).port}`;
  const topology = controlTopology(gateway.names, 'a-listener');
  await gateway.bus.provision(topology);
  await gateway.bus.consume(topology.queues[0]!.name, { prefetch: 10, noAck: true }, async ({ body }) => {
    messages.push(JSON.parse(body.toString()) as ControlMessage);
    return 'done';
  });
}, 60_000);

afterAll(async () => {
  await other.close();
  await gateway.close();
});

const ask = async (method: string, path: string, key = TEST_KEY) => {
  const answer = await gateway.fetch(`${otherUrl}${path}`, { method, headers: { 'x-api-key': key } });
  return { status: answer.status, json: (await answer.json()) as unknown };
};

test('a run that is pending at one gateway can be read and cancelled at another, by its owner only', async () => {
  let onJob: (takenJob: TakenJob) => void = () => undefined;
  const jobTaken = new Promise<TakenJob>((resolve) => (onJob = resolve));
  gateway.executor.handleJob = async (takenJob) => onJob(takenJob);
  const answered = gateway.call('POST', `/api/v1/run/${flowId}`, { session_id: 'here' });
  const takenJob = await jobTaken;
  const { runId } = takenJob.job;
  expect(await ask('GET', `/api/v1/runs/${runId}`)).toMatchObject({
    status: 200,
    json: { id: runId, flow_id: flowId, session_id: 'here', status: 'running', result: null },
  });
  expect(await ask('GET', `/api/v2/workflows?job_id=${runId}`)).toMatchObject({
    status: 200,
    json: { job_id: runId, status: 'in_progress' },
  });
  const stranger = await gateway.call('POST', '/api/v1/users', { username: 'stranger' });
  const { api_key: key } = stranger.json as { api_key: string };
  expect((await ask('GET', `/api/v1/runs/${runId}`, key)).status).toBe(404);
  expect((await ask('POST', `/api/v1/runs/${runId}/cancel`, key)).status).toBe(404);
  expect(messages.some(({ kind }) => kind === 'cancel')).toBe(false);
  expect(await ask('POST', `/api/v1/runs/${runId}/cancel`)).toMatchObject({
    status: 202,
    json: { id: runId },
  });
  expect(messages.filter(({ kind }) => kind === 'cancel')).toMatchObject([{ runId }]);
  await takenJob.final('succeeded', { session_id: 'here', outputs: [] });
  expect((await answered).status).toBe(200);
});

test('other gateways are not asked for ids that cannot be runs in progress', async () => {
  const before = messages.length;
  expect((await ask('GET', `/api/v1/runs/${randomUUID()}`)).status).toBe(404);
  expect((await ask('GET', '/api/v1/runs/018f0000-0000-7000-8000-000000000000')).status).toBe(404);
  expect(messages.slice(before)).toEqual([]);
  expect((await ask('GET', `/api/v1/runs/${uuidv7()}`)).status).toBe(404);
  expect(messages.slice(before).map(({ kind }) => kind)).toEqual(['who-waits']);
});
