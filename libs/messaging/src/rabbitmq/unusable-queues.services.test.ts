import { connect, type Channel } from 'amqplib';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { recordingLogger, until } from '@millrace/service/testing';
import { type QueueDefinition } from '..';
import { RabbitMqBus } from './rabbitmq-bus';
import { messageTo } from './broken-broker.fixture';
import { startOwnBroker, type OwnBroker } from './own-broker.fixture';

const RECOVERY_MILLISECONDS = 60_000;
const MAXIMUM_ROUNDS = 8;
const BROKEN =
  /^cannot consume from the queue; other queues are not affected; it will be deleted and declared again if this lasts for \d s$/;

/** In RabbitMQ 3.10, a queue declared again just before its broker is killed restarts without a leader. */
describe('the RabbitMQ message bus, when a quorum queue has no leader', () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-wedge-'));
  const logger = recordingLogger();
  const other = `other-${randomUUID()}`;
  const leaderless = `wedged-${randomUUID()}`;
  const queues: readonly QueueDefinition[] = [
    { name: leaderless, kind: 'quorum', isRecreatable: true },
    { name: other, kind: 'quorum' },
  ];
  let broker: OwnBroker;
  let bus: RabbitMqBus;

  beforeAll(async () => {
    broker = await startOwnBroker(directory);
    await administrate(broker.url, async (channel) => {
      await channel.assertQueue(other, { arguments: { 'x-queue-type': 'quorum' } });
      await pause(2_000);
    });
    await makeUnusable(broker, leaderless);
  }, 600_000);

  afterAll(async () => {
    await bus?.close();
    await broker?.stop();
    rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }, 120_000);

  test('keeps using other queues, reports the failing one, and deletes and declares it again', async () => {
    bus = await RabbitMqBus.connect({
      url: broker.url,
      logger,
      connectionName: 'wedge test',
      recreateAfterMilliseconds: 4_000,
      confirmTimeoutMilliseconds: 1_000,
    });
    const states: string[] = [];
    bus.onStateChange((state) => states.push(state));
    await bus.provision({ exchanges: [], queues, bindings: [] });
    const received: string[] = [];
    for (const { name } of queues)
      await bus.consume(name, { prefetch: 1 }, async ({ body }) => {
        received.push(body.toString());
        return 'done';
      });

    const lost = bus.publish(messageTo(leaderless)).catch((error: unknown) => error);
    await bus.publish(messageTo(other, 'other'));
    await until(() => received.includes('other'), 'the message of the other queue');
    expect(await lost).toMatchObject({ code: expect.stringMatching(/refused|unconfirmed/) });
    const stateOf = (queue: string) => bus.queueStates().find((state) => state.queue === queue);
    expect(stateOf(other)).toEqual({ queue: other, isConsuming: true, problem: null });
    expect(stateOf(leaderless)).toMatchObject({ isConsuming: false, problem: expect.any(String) });
    const ofLeaderless = expect.objectContaining({ queue: leaderless });
    const errors = logger.lines.filter(({ level }) => level === 'error');
    expect(errors).toEqual([
      { level: 'error', message: expect.stringMatching(BROKEN), fields: ofLeaderless },
    ]);
    expect(logger.fieldsOf('could not consume from a queue; will retry')).toEqual([ofLeaderless]);

    await until(
      () => stateOf(leaderless)?.isConsuming === true,
      'the queue to be recreated',
      RECOVERY_MILLISECONDS,
    );
    // Each try has a new connection; no channel is opened on one that was given up.
    const reopened = logger.lines.filter(({ message }) => message.startsWith('could not open a channel'));
    expect(reopened).toEqual([]);
    await until(async () => {
      await bus.publish(messageTo(leaderless, 'after it')).catch(() => pause(100));
      return received.includes('after it');
    }, 'a message of the recreated queue');
    // Deleting the queue closes a connection that has published to it, once; the bus reconnects.
    await until(() => bus.state === 'connected', 'the connection to be back');
    for (const message of [
      'unusable queue deleted and declared again; its messages will be republished',
      'consuming from the queue again',
    ])
      expect(logger.fieldsOf(message)).toContainEqual({ queue: leaderless });
    expect(states).not.toContain('unreachable');
    expect(states.length).toBeLessThanOrEqual(2);
  }, 120_000);
});

/** Makes the queue unusable and verifies it: consuming closes the connection or gets no answer. */
async function makeUnusable(broker: OwnBroker, queue: string): Promise<void> {
  for (let round = 0; round < MAXIMUM_ROUNDS; round += 1) {
    await administrate(broker.url, async (channel) => {
      await channel.deleteQueue(queue);
      await channel.assertQueue(queue, { arguments: { 'x-queue-type': 'quorum' } });
      await broker.kill();
    }).catch(() => undefined);
    await broker.start();
    await pause(1_000);
    if (await isUnusable(broker.url, queue)) return;
  }
  throw new Error(`no queue without a leader after ${MAXIMUM_ROUNDS} rounds`);
}

async function isUnusable(url: string, queue: string): Promise<boolean> {
  try {
    return await administrate(url, async (channel) => {
      await Promise.race([channel.consume(queue, () => undefined), late()]);
      return false;
    });
  } catch {
    return true;
  }
}

async function late(): Promise<never> {
  await pause(5_000);
  throw new Error('no answer');
}

async function administrate<T>(url: string, work: (channel: Channel) => Promise<T>): Promise<T> {
  const connection = await connect(url);
  connection.on('error', () => undefined);
  try {
    return await work(await connection.createChannel());
  } finally {
    // A channel that waits for a queue without a leader never closes cleanly.
    await Promise.race([connection.close().catch(() => undefined), pause(1_000)]);
  }
}
