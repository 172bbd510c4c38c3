import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { controlTopology } from '@millrace/messages';
import type { ControlMessage } from '@millrace/messages';
import { until } from '@millrace/service/testing';
import { gatewayForTests } from '../testing/test-gateway';
import type { TakenJob } from '../testing/test-executor';

const echo = JSON.parse(readFileSync(join(__dirname, '../../../../examples/echo.json'), 'utf8')) as object;
const result = { session_id: 's', outputs: [] };

const controls: ControlMessage['kind'][] = [];
const gateway = gatewayForTests();
beforeAll(async () => {
  await gateway.createFlow({ ...echo, endpoint_name: 'echo' });
  const topology = controlTopology(gateway.names, 'a-listener');
  await gateway.bus.provision(topology);
  await gateway.bus.consume(topology.queues[0]!.name, { prefetch: 10, noAck: true }, async ({ body }) => {
    controls.push((JSON.parse(body.toString()) as ControlMessage).kind);
    return 'done';
  });
}, 60_000);
afterEach(() => {
  gateway.executor.handleJob = null;
});

/** Ends a run in the database, as an executor whose reply is lost. */
async function endWithoutReply({ job: { runId } }: TakenJob): Promise<void> {
  await gateway.runs.claim([{ runId, worker: 'test', redelivered: false }]);
  const end = { status: 'succeeded', result: JSON.stringify(result), failure: null, messages: [] } as const;
  await gateway.runs.complete([{ runId, attempt: 1, ...end }]);
}

test('a run whose reply was lost is answered from its record, and nothing more is asked about it', async () => {
  gateway.executor.handleJob = endWithoutReply;
  const answer = await gateway.call(
    'POST',
    '/api/v1/run/echo',
    {},
    {
      'idempotency-key': 'lost',
      'x-deadline-seconds': '20',
    },
  );
  expect([answer.status, answer.json]).toEqual([200, result]);
  // What the gateway has sent arrives before it.
  await gateway.bus.publish({
    exchange: gateway.names.controlExchange,
    routingKey: '',
    body: Buffer.from(JSON.stringify({ kind: 'cancel', runId: 'another', reason: 'test' })),
    persistent: false,
    mandatory: false,
  });
  await until(() => controls.includes('cancel'));
  expect(controls).not.toContain('resend-frames');
});

test('runs in the queue of a pool that lost its executors are refused', async () => {
  expect((await gateway.call('POST', '/api/v1/run/echo', {})).status).toBe(200);
  await gateway.executor.stop();
  const [waiting, durable] = [
    gateway.call('POST', '/api/v1/run/echo', {}, { 'x-deadline-seconds': '20' }),
    gateway.call('POST', '/api/v1/run/echo', {}, { 'idempotency-key': 'kept' }),
  ];
  const refused = await waiting;
  expect([refused.status, refused.headers.get('x-error-code')]).toEqual([503, 'no_executor']);
  expect(await gateway.metrics.prometheusText()).toMatch(/^millrace_runs_waiting 1$/m);
  await gateway.executor.start();
  expect((await durable).status).toBe(200);
});
