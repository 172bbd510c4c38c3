import { AckPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { ConsumerInfo, JetStreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import type { NatsConnection } from '@nats-io/transport-node';
import { until } from '@millrace/service/testing';
import { startBridge, startWebhookRecorder } from './bridge-process.fixture';
import type { Bridge, WebhookRecorder } from './bridge-process.fixture';
import { startNatsServer } from './nats-server.fixture';
import type { NatsServer } from './nats-server.fixture';
import { startTestSystem } from './test-system';
import type { TestSystem } from './test-system';

/** Increase it for a long manual run. */
const MESSAGES = Number(process.env['TEST_NATS_MESSAGES'] ?? 400);
const DEADLINE_MILLISECONDS = 240_000;

let system: TestSystem;
let recorder: WebhookRecorder;
let nats: NatsServer;
let connection: NatsConnection;
let manager: JetStreamManager;

beforeAll(async () => {
  const environment = { MILLRACE_USER_BACKLOG_LIMIT: '30', MILLRACE_USER_QUEUE_SHARE: '10' };
  [system, nats] = await Promise.all([
    startTestSystem({ pools: { default: 2 }, environment }),
    startNatsServer(),
  ]);
  recorder = await startWebhookRecorder(system.url);
  connection = await connect({ servers: nats.url, maxReconnectAttempts: -1, reconnectTimeWait: 100 });
  manager = await jetstreamManager(connection);
  await manager.streams.add({ name: 'DEAD', subjects: ['dead.>'] });
}, 120_000);

afterAll(async () => {
  await connection?.close();
  await nats?.stop();
  await recorder?.close();
  await system?.stop();
}, 60_000);

interface Source {
  readonly stream: string;
  readonly flowId: string;
  start(environment?: Readonly<Record<string, string>>): Promise<Bridge>;
  consumer(): Promise<ConsumerInfo>;
  runs(): Promise<{ key: string; status: string }[]>;
}

/** Makes a stream and a flow for its messages. */
async function openSource(name: string): Promise<Source> {
  const stream = name.toUpperCase();
  await manager.streams.add({ name: stream, subjects: [`${name}.>`] });
  const flow = await system.upload('echo');
  return {
    stream,
    flowId: flow.id,
    start: (environment = {}) =>
      startBridge('nats-to-webhook.mjs', {
        WEBHOOK_URL: `${recorder.url}/api/v1/webhook/${flow.endpoint}`,
        MILLRACE_API_KEY: system.key,
        NATS_URL: nats.url,
        NATS_STREAM: stream,
        NATS_DEAD_SUBJECT: `dead.${name}`,
        NATS_ACK_SECONDS: '5',
        IN_FLIGHT: '8',
        ...environment,
      }),
    consumer: () => manager.consumers.info(stream, 'millrace'),
    runs: async () =>
      (
        await system.database.query(`SELECT dedupe_key AS key, status FROM runs WHERE flow_id = $1`, [
          flow.id,
        ])
      ).rows as { key: string; status: string }[],
  };
}

async function publish(subject: string, count: number): Promise<void> {
  const stream = jetstream(connection);
  for (let n = 0; n < count; n += 1) await stream.publish(subject, JSON.stringify({ n }));
}

/** Records, for each acknowledgement of a stream, whether the 202 of its message had been sent before. */
function watchAcknowledgements(stream: string) {
  const early: number[] = [];
  const acknowledged = new Set<number>();
  const isAccepted = (sequence: number) =>
    [...recorder.accepted].some((key) => key.startsWith(`nats:${stream}:${sequence}:`));
  connection.subscribe(`$JS.ACK.${stream}.>`, {
    callback: (_error, { subject, data }) => {
      const words = subject.split('.');
      const text = Buffer.from(data).toString();
      if (text !== '' && !text.startsWith('+ACK')) return;
      const sequence = Number(words[words.length - 4]);
      acknowledged.add(sequence);
      if (!isAccepted(sequence)) early.push(sequence);
    },
  });
  return { early, acknowledged };
}

const isSettled = ({ num_pending, num_ack_pending }: ConsumerInfo) => num_pending + num_ack_pending === 0;

test('each message has one run, and none is acknowledged before it, while everything is killed', async () => {
  const source = await openSource('orders');
  await publish('orders.new', MESSAGES);
  const watched = watchAcknowledgements(source.stream);
  await connection.flush();
  const reached = (share: number) =>
    until(() => recorder.accepted.size >= MESSAGES * share, `${share} accepted`, DEADLINE_MILLISECONDS);

  let bridge = await source.start();
  for (const share of [0.1, 0.3]) {
    await reached(share);
    await bridge.kill();
    bridge = await source.start();
  }
  await reached(0.4);
  // Webhooks are not answered while ingest does not run: the bridge tries again.
  system.ingest.kill();
  const [executor] = system.executors.splice(0, 1);
  executor?.kill();
  await Promise.all([system.ingest.exited, executor?.exited]);
  await until(() => bridge.lines.some((line) => line.includes('message failed')));
  await Promise.all([
    system.startService({
      app: 'ingest',
      environment: { MILLRACE_INGEST_PORT: String(system.ingestPort) },
    }),
    system.startExecutor(),
  ]);
  await reached(0.6);
  await nats.restart();
  await reached(0.8);
  await bridge.kill();
  bridge = await source.start();
  await until(async () => isSettled(await source.consumer()), 'all settled', DEADLINE_MILLISECONDS);
  expect(await bridge.stop()).toBe(0);

  const isEnded = ({ status }: { readonly status: string }) => status === 'succeeded';
  await until(async () => (await source.runs()).every(isEnded), 'all ended', DEADLINE_MILLISECONDS);
  const runs = await source.runs();
  const statuses = Object.fromEntries(recorder.statuses);
  process.stdout.write(
    `${MESSAGES} messages: ${runs.length} runs; ${watched.acknowledged.size} acknowledgements seen, ${watched.early.length} before their 202; answers ${JSON.stringify(statuses)}\n`,
  );
  expect(watched.acknowledged.size).toBeGreaterThan(0);
  expect(watched.early).toEqual([]);
  const sequences = runs.map(({ key }) => Number(key.split(':')[4])).toSorted((one, other) => one - other);
  expect(sequences).toEqual(Array.from({ length: MESSAGES }, (_, index) => index + 1));
}, 600_000);

test('a message that is refused becomes a dead letter, and the next ones go on', async () => {
  const source = await openSource('mixed');
  await jetstream(connection).publish('mixed.new', Uint8Array.of(0xff, 0xfe));
  await publish('mixed.new', 3);
  const bridge = await source.start();
  await until(async () => isSettled(await source.consumer()));
  expect(await bridge.stop()).toBe(0);
  expect(await source.runs()).toHaveLength(3);
  const dead = await manager.streams.getMessage('DEAD', { last_by_subj: 'dead.mixed' });
  expect([...(dead?.data ?? [])]).toEqual([0xff, 0xfe]);
  expect(dead?.header.get('Millrace-Subject')).toBe('mixed.new');
  expect(dead?.header.get('Millrace-Reason')).toMatch(/^400 .*UTF-8/);
}, 60_000);

test('a wrong key harms no message: all have their run once the key is right', async () => {
  const source = await openSource('kept');
  await publish('kept.new', 5);
  const wrong = await source.start({ MILLRACE_API_KEY: 'sk-wrong' });
  await until(() => wrong.lines.filter((line) => line.includes('message failed')).length >= 5);
  expect(await wrong.stop()).toBe(0);
  expect(await source.runs()).toEqual([]);
  const right = await source.start();
  await until(async () => isSettled(await source.consumer()));
  expect(await right.stop()).toBe(0);
  expect(await source.runs()).toHaveLength(5);
}, 60_000);

test('a bridge does not start where dead letters would be lost, and keeps the settings of a consumer', async () => {
  const source = await openSource('checked');
  await expect(source.start({ NATS_DEAD_SUBJECT: 'nowhere' })).rejects.toThrow('no stream matches subject');
  await manager.consumers.add(source.stream, {
    durable_name: 'millrace',
    ack_policy: AckPolicy.Explicit,
    max_ack_pending: 3,
  });
  const bridge = await source.start();
  expect(await bridge.stop()).toBe(0);
  expect((await source.consumer()).config.max_ack_pending).toBe(3);
}, 60_000);
