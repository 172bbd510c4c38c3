import { randomUUID } from 'node:crypto';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { connect as connectToBroker } from 'amqplib';
import type { Database } from '@millrace/database';
import { openMessageBus } from '@millrace/messaging';
import type { Delivery, MessageBus } from '@millrace/messaging';
import { createLogger } from '@millrace/service';
import { until } from '@millrace/service/testing';
import { observedBus } from '../testing/observed-bus';
import { openTestDatabase, openTestInstallation } from '../testing/test-installation';
import type { TestInstallation } from '../testing/test-installation';

/** More redeliveries than the broker allows: five, and three in the quarantine. */
const CUTS = 10;

const logger = createLogger({ name: 'cut-connections', level: 'silent' });
const prefix = `test-${randomUUID()}.`;
const links = new Set<Socket>();
/** The deliveries to each executor behind the proxy, and those of all of them that have a verdict. */
const toWorker1: Delivery[] = [];
const toWorker3: Delivery[] = [];
const handled = new Set<Delivery>();
let database: Database;
let given: TestInstallation;
let proxy: Server;
let proxyUrl: string;
let throughProxy: MessageBus;

function brokerUrl(): string {
  const url = process.env['AMQP_URL'];
  if (!url) throw new Error('AMQP_URL is not set: this test needs a RabbitMQ server');
  return url;
}

beforeAll(async () => {
  const broker = new URL(brokerUrl());
  proxy = createServer((client) => {
    const server = connect({ host: broker.hostname, port: Number(broker.port || 5672), noDelay: true });
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      links.add(one);
      one
        .on('error', () => undefined)
        .on('close', () => {
          links.delete(one);
          other.destroy();
        });
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const url = new URL(brokerUrl());
  url.hostname = '127.0.0.1';
  url.port = String((proxy.address() as AddressInfo).port);
  database = await openTestDatabase();
  given = await openTestInstallation(database, { brokerUrl: brokerUrl(), prefix });
  proxyUrl = url.href;
  throughProxy = await openMessageBus({ url: proxyUrl, logger, name: 'cut-connections' });
  await given.startExecutor('worker-1', { bus: observedBus(throughProxy, toWorker1, handled) });
}, 60_000);

afterAll(async () => {
  await given.close();
  await throughProxy.close();
  await database.close();
  await new Promise((resolve) => proxy.close(resolve));
  await removeFromBroker();
}, 60_000);

const countOf = (deliveries: readonly Delivery[], runId: string) =>
  deliveries.filter(({ correlationId }) => correlationId === runId).length;

/** Must be called when each run has been delivered once, to the executor that executes it. */
async function cutRepeatedly(runIds: readonly string[]): Promise<void> {
  const executing = runIds.map((runId) => ({
    runId,
    deliveries: countOf(toWorker1, runId) > 0 ? toWorker1 : toWorker3,
  }));
  const isSettled = (runId: string) => countOf([...handled], runId) > 0;
  for (let cut = 0; cut < CUTS; cut += 1) {
    const cutOff = executing
      .filter(({ runId }) => !isSettled(runId))
      .map((run) => ({ ...run, count: countOf(run.deliveries, run.runId) }));
    for (const link of links) link.resetAndDestroy();
    await until(() => throughProxy.state === 'disconnected', 'the cut went unnoticed');
    await until(() => throughProxy.state === 'connected', 'the executor did not reconnect');
    // The executor of a run adds another delivery to it. Another executor has to ask first.
    await until(
      () =>
        cutOff.every(
          ({ runId, deliveries, count }) => isSettled(runId) || countOf(deliveries, runId) > count,
        ),
      'a message was not delivered again',
    );
  }
}

async function removeFromBroker(): Promise<void> {
  const { names } = given;
  const connection = await connectToBroker(brokerUrl());
  const channel = await connection.createChannel();
  const lanes = [names.lane('interactive', 'default'), names.lane('background', 'default')];
  for (const queue of [...lanes, names.quarantineQueue, names.deadQueue]) await channel.deleteQueue(queue);
  for (const exchange of [names.runsExchange, names.deadExchange, names.controlExchange])
    await channel.deleteExchange(exchange);
  await connection.close();
}

test('runs whose connection breaks repeatedly are executed once and answered', async () => {
  const durable = await given.accept(given.chat, { limitMilliseconds: 100_000 });
  const interactive = given.job(given.chat, { deadline: Date.now() + 100_000 });
  await given.send(durable);
  await given.send(interactive);
  await until(() => given.model.waiting === 2, 'the runs did not reach the model');
  await cutRepeatedly([durable.runId, interactive.runId]);
  expect(given.model.requestCount).toBe(2);
  given.model.answer('after all');
  for (const { runId } of [durable, interactive]) {
    const reply = await given.finalReply(runId);
    expect([reply.headers['x-status'], reply.headers['x-attempt']]).toEqual(['succeeded', 1]);
    await until(
      async () => (await given.runs.find(given.userId, runId))?.status === 'succeeded',
      'an end was not stored',
    );
  }
  for (const lane of ['interactive', 'background'] as const) {
    const queue = given.names.lane(lane, 'default');
    await until(async () => (await given.bus.queueStatus(queue))?.messages === 0, 'a message is left');
  }
  expect(await given.bus.queueStatus(given.names.deadQueue)).toMatchObject({ messages: 0 });
  expect(await given.bus.queueStatus(given.names.quarantineQueue)).toMatchObject({ messages: 0 });
}, 120_000);

test('a run that two executors claim after a broken connection ends once', async () => {
  const job = await given.accept(given.chat, { limitMilliseconds: 180_000 });
  const asked = given.model.requestCount;
  await given.send(job);
  await until(() => given.model.requestCount === asked + 1, 'the run did not reach the model');
  const handledByWorker2 = new Set<Delivery>();
  const other = await given.startExecutor('worker-2', {
    bus: observedBus(given.bus, [], handledByWorker2),
  });
  for (const link of links) link.resetAndDestroy();
  // Its own executor adds the second delivery to the run. The other one refuses the run, or begins an attempt.
  const isDecided = () =>
    countOf(toWorker1, job.runId) > 1 ||
    countOf([...handledByWorker2], job.runId) > 0 ||
    given.model.requestCount === asked + 2;
  await until(isDecided, 'the second delivery was not handled');
  given.model.answer('one of them');
  await until(
    async () => (await given.runs.find(given.userId, job.runId))?.status === 'succeeded',
    'the run did not end',
  );
  expect(await given.messages.list({ userId: given.userId, sessionId: 'durable-session' })).toHaveLength(4);
  await other.close({ deadlineMilliseconds: 3_000 });
}, 60_000);

test('runs stay with their executors when all executors lose their connections at once', async () => {
  const bus = await openMessageBus({ url: proxyUrl, logger, name: 'cut-connections' });
  const other = await given.startExecutor('worker-3', { bus: observedBus(bus, toWorker3, handled) });
  try {
    const asked = given.model.requestCount;
    const jobs = await Promise.all(
      Array.from({ length: 4 }, () => given.accept(given.chat, { limitMilliseconds: 180_000 })),
    );
    for (const job of jobs) await given.send(job);
    await until(() => given.model.requestCount === asked + 4, 'the runs did not reach the model');
    await cutRepeatedly(jobs.map(({ runId }) => runId));
    given.model.answer('where they were');
    for (const { runId } of jobs) {
      const reply = await given.finalReply(runId);
      expect([reply.headers['x-status'], reply.headers['x-attempt']]).toEqual(['succeeded', 1]);
    }
    expect(given.model.requestCount).toBe(asked + 4);
  } finally {
    await other.close({ deadlineMilliseconds: 3_000 });
    await bus.close();
  }
}, 60_000);
