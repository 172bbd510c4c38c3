import Ajv from 'ajv/dist/2020';
import { asyncApiDocument } from '@millrace/messages';
import type { Callback } from '@millrace/flow';
import type { CallbackDelivery } from '@millrace/runs';
import { until } from '@millrace/service/testing';
import { CustomerBroker } from '../testing/customer-broker';
import { openTestIngest } from '../testing/test-ingest';
import type { TestIngest } from '../testing/test-ingest';
import { testQueues } from '../testing/test-queues';

let ingest: TestIngest;
let broker: CustomerBroker;

beforeAll(async () => {
  broker = await CustomerBroker.open();
  ingest = await openTestIngest((database) => ({
    ...testQueues(database),
    callbackIntervalMilliseconds: 20,
  }));
  const broker_ = { name: 'BROKER', value: broker.url, type: 'Credential', defaultFields: [] } as const;
  await ingest.variables.create(ingest.userId, broker_);
  const hidden = 'amqp://guest:guest@127.0.0.2:5672';
  await ingest.variables.create(ingest.userId, { ...broker_, name: 'HIDDEN', value: hidden });
}, 60_000);

afterAll(async () => {
  await ingest.close();
  await broker.close();
}, 60_000);

let flows = 0;
const newFlow = (callbacks: readonly Callback[] = []) =>
  ingest.newFlow(`reported-${(flows += 1)}`, callbacks.length > 0 ? { callbacks } : {});

/** Starts a source with its flow; resolves to its queue. */
async function startSource(flowId: string, config: object = {}): Promise<string> {
  const queue = await broker.queue(`source-${flows}`);
  const created = await ingest.triggers.create(ingest.userId, {
    flowId,
    name: 'source',
    kind: 'rabbitmq',
    nodeId: null,
    state: 'active',
    sessionPolicy: 'per_event',
    concurrencyLimit: 100,
    maximumAttempts: 1,
    flowVersion: null,
    nextOccurrenceAt: null,
    nextFireAt: null,
    config: { connection: 'BROKER', queue, ...config },
  });
  if (!created) throw new Error('no trigger');
  return queue;
}

const SUCCESS = { status: 'succeeded', result: '{"session_id":"s","outputs":[1.0]}', failure: null } as const;
const FAILURE = {
  status: 'failed',
  result: null,
  failure: { code: 'component_failed', message: 'no', vertex: null, problems: [] },
} as const;

/** Completes each run of a flow, as an executor does; resolves to their ids once there are as many. */
async function complete(
  flowId: string,
  count = 1,
  end: typeof SUCCESS | typeof FAILURE = SUCCESS,
): Promise<string[]> {
  const runs = async () =>
    (
      await ingest.database.query<{ id: string }>({
        text: `SELECT id FROM runs WHERE flow_id = $1 ORDER BY accepted_at, id`,
        values: [flowId],
      })
    ).rows.map(({ id }) => id);
  await until(async () => (await runs()).length === count);
  for (const runId of await runs()) {
    await ingest.runs.claim([{ runId, worker: 'one', redelivered: false }]);
    await ingest.runs.complete([{ runId, attempt: 1, ...end, messages: [] }]);
  }
  return runs();
}

async function received(queue: string) {
  let message = await broker.get(queue);
  await until(async () => (message ??= await broker.get(queue)) !== null);
  if (message === null) throw new Error('no message');
  return message;
}

const deliveries = (runId: string): Promise<CallbackDelivery[]> =>
  ingest.callbacks.list(ingest.userId, { runId }, { limit: 50, offset: 0 });

test('the end of a run is published to the queue that its message names for replies', async () => {
  const flowId = await newFlow();
  const source = await startSource(flowId);
  const replies = await broker.queue(`replies-${flows}`);
  await broker.send(source, '{}', { messageId: '1', replyTo: replies, correlationId: 'c-7' });
  const [runId = ''] = await complete(flowId);
  const { content, properties } = await received(replies);
  expect(content.toString()).toContain('"result":{"session_id":"s","outputs":[1.0]}');
  expect(JSON.parse(content.toString())).toMatchObject({ type: 'run.finished', data: { run_id: runId } });
  const [delivery] = await deliveries(runId);
  expect(properties).toMatchObject({
    correlationId: 'c-7',
    messageId: delivery?.id,
    type: 'run.finished',
    contentType: 'application/json',
    deliveryMode: 2,
    appId: 'millrace',
  });
  await until(async () => (await deliveries(runId))[0]?.state === 'delivered');
  expect(await broker.get(replies)).toBeNull();
}, 60_000);

test('a reply whose queue does not exist is given up, and one to the queue of the source is not made', async () => {
  const flowId = await newFlow();
  const source = await startSource(flowId);
  await broker.send(source, '{}', { messageId: '1', replyTo: 'no-such-queue' });
  const [lost = ''] = await complete(flowId);
  await until(async () => (await deliveries(lost))[0]?.state === 'dead');
  expect((await deliveries(lost))[0]?.lastError).toBe('No queue takes the message.');
  const own = await newFlow();
  const loop = await startSource(own);
  await broker.send(loop, '{}', { messageId: '1', replyTo: loop });
  const [run = ''] = await complete(own);
  expect(await deliveries(run)).toEqual([]);
  const quiet = await newFlow();
  const silent = await startSource(quiet, { reply: false });
  await broker.send(silent, '{}', { messageId: '1', replyTo: 'no-such-queue' });
  const [unanswered = ''] = await complete(quiet);
  expect(await deliveries(unanswered)).toEqual([]);
}, 60_000);

test('results are published to the exchange of the flow, and a missing exchange harms no other', async () => {
  const { exchange, queue } = await broker.exchange();
  const target = { connection: 'BROKER', exchange, routingKey: 'orders.done' };
  const flowId = await newFlow([
    { amqp: target, result: 'omit' },
    { amqp: { ...target, exchange: 'no-such-exchange' } },
    { amqp: { ...target, connection: 'HIDDEN' } },
    { amqp: { ...target, connection: 'NONE' } },
  ]);
  const source = await startSource(flowId);
  for (let n = 0; n < 5; n += 1) await broker.send(source, '{}', { messageId: String(n) });
  const runIds = await complete(flowId, 5);
  const correlated: unknown[] = [];
  for (let n = 0; n < 5; n += 1) {
    const { content, fields, properties } = await received(queue);
    expect(fields.routingKey).toBe('orders.done');
    expect(JSON.parse(content.toString())).toMatchObject({ data: { result: null } });
    correlated.push(properties.correlationId);
  }
  expect(correlated.toSorted()).toEqual(runIds.toSorted());
  const [runId = ''] = runIds;
  const errors = async () => (await deliveries(runId)).flatMap(({ lastError }) => lastError ?? []).toSorted();
  await until(async () => (await errors()).length === 3);
  expect(await errors()).toEqual([
    '127.0.0.2 is not a public address.',
    expect.stringMatching(/^The broker refused: .*no-such-exchange|^The broker refused: channel closed/),
    'The variable NONE of type Credential does not exist.',
  ]);
  const metrics = await ingest.metrics.prometheusText();
  expect(metrics).toMatch(/^millrace_queue_publishes_failed_total [1-9]/m);
}, 60_000);

test.each([
  ['run.finished', SUCCESS],
  ['run.failed', FAILURE],
])(
  'reports of the kind %s match the AsyncAPI document',
  async (type, end) => {
    const { components } = asyncApiDocument('1') as { components: { messages: Record<string, object> } };
    const described = components.messages['run-report'] as { payload: object; 'x-amqp-properties': object };
    const ajv = new Ajv({
      strict: false,
      formats: { uuid: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/ },
    });
    const [isBody, hasProperties] = [
      ajv.compile(described.payload),
      ajv.compile(described['x-amqp-properties']),
    ];
    const { exchange, queue } = await broker.exchange(`described-${type}`);
    const flowId = await newFlow([{ amqp: { connection: 'BROKER', exchange, routingKey: 'any' } }]);
    const source = await startSource(flowId);
    const replies = await broker.queue(`replies-${flows}`);
    await broker.send(source, '{}', { messageId: '1', replyTo: replies });
    await complete(flowId, 1, end);
    for (const published of [await received(queue), await received(replies)]) {
      const body: unknown = JSON.parse(published.content.toString());
      expect([isBody(body), isBody.errors]).toEqual([true, null]);
      const { properties } = published;
      const given = {
        message_id: properties.messageId,
        correlation_id: properties.correlationId ?? null,
        type: properties.type,
        content_type: properties.contentType,
        app_id: properties.appId,
        delivery_mode: properties.deliveryMode,
        timestamp: properties.timestamp,
      };
      expect([hasProperties(given), hasProperties.errors]).toEqual([true, null]);
      expect(given.type).toBe(type);
    }
  },
  60_000,
);
