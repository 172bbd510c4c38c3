import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { until } from '@millrace/service/testing';
import { connect } from 'amqplib';
import type { ChannelModel, ConfirmChannel, ConsumeMessage } from 'amqplib';
import { startStandalone } from './start-standalone';
import type { Standalone } from './start-standalone';

const ROOT = join(__dirname, '..', '..');
const CERTIFICATES = join(ROOT, 'libs', 'connections', 'src', 'testing', 'tls');
const MESSAGES = 200;
const DEADLINE_MILLISECONDS = 120_000;

let directory: string;
let broker: Awaited<ReturnType<typeof startBroker>>;
let model: ChannelModel;
let channel: ConfirmChannel;
let app: Standalone;
let key = '';

async function startBroker() {
  const words = [join(ROOT, 'tools', 'services', 'tls-broker.mjs'), join(directory, 'broker'), CERTIFICATES];
  const program = spawn(process.execPath, words, { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface(program.stdout), 'line')) as [string];
  const { url, tlsPort } = JSON.parse(line) as { url: string; tlsPort: number };
  const stop = async () => {
    program.stdin.end();
    await once(program, 'exit');
  };
  return { url, tlsUrl: `amqps://guest:guest@127.0.0.1:${tlsPort}`, stop };
}

/** Starts the app on its data, which trusts the public authorities and those of `environment`. */
async function startApp(environment: Readonly<Record<string, string>> = {}): Promise<Standalone> {
  const started = await startStandalone({
    data: join(directory, 'data'),
    environment: { MILLRACE_OUTGOING_ALLOW: '127.0.0.1/32', ...environment },
  });
  key ||= started.key;
  return started;
}

const call = <Answer>(method: string, path: string, body?: object): Promise<Answer> =>
  app.call(method, path, body, key);

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'millrace-queues-'));
  chmodSync(directory, 0o755);
  broker = await startBroker();
  model = await connect(broker.url);
  channel = await model.createConfirmChannel();
  app = await startApp();
}, 180_000);

afterAll(async () => {
  await app?.stop();
  await model?.close();
  await broker?.stop();
  rmSync(directory, { recursive: true, force: true });
}, 90_000);

test('the standalone app consumes and publishes over TLS, verifies the broker, and repeats no run after kill -9', async () => {
  for (const queue of ['orders', 'replies', 'results']) await channel.assertQueue(queue, { durable: true });
  await call('POST', '/api/v1/variables/', {
    name: 'BROKER',
    value: broker.tlsUrl,
    type: 'Credential',
    default_fields: [],
  });
  const flows = await call<{ id: string; endpoint_name: string }[]>('GET', '/api/v1/flows/');
  const flowId = flows.find(({ endpoint_name: name }) => name === 'echo')?.id ?? '';
  const callbacks = [{ amqp: { connection: 'BROKER', exchange: '', routingKey: 'results' } }];
  await call('PATCH', `/api/v1/flows/${flowId}`, { settings: { callbacks } });
  const { id } = await call<{ id: string }>('POST', '/api/v1/triggers', {
    flow_id: flowId,
    name: 'orders',
    kind: 'rabbitmq',
    state: 'active',
    concurrency_limit: 20,
    config: { connection: 'BROKER', queue: 'orders', prefetch: 20 },
  });
  const source = async () =>
    (await call<{ source: { state: string; last_error: string | null } }>('GET', `/api/v1/triggers/${id}`))
      .source;
  for (let n = 0; n < MESSAGES; n += 1)
    channel.sendToQueue('orders', Buffer.from(`{"n":${n}}`), {
      persistent: true,
      messageId: `m-${n}`,
      correlationId: `c-${n}`,
      replyTo: 'replies',
    });
  await channel.waitForConfirms();

  // The authority of the broker is not trusted: no message is taken.
  await until(async () => (await source()).state === 'failing', 'failing', DEADLINE_MILLISECONDS);
  expect((await source()).last_error).toMatch(/SELF_SIGNED_CERT|UNABLE_TO_VERIFY/);
  expect((await channel.checkQueue('orders')).messageCount).toBe(MESSAGES);
  await app.stop();

  const trusting = { NODE_EXTRA_CA_CERTS: join(CERTIFICATES, 'ca.pem') };
  app = await startApp(trusting);
  const replies: ConsumeMessage[] = [];
  const results: ConsumeMessage[] = [];
  await channel.consume('replies', (message) => void (message && replies.push(message)), { noAck: true });
  await channel.consume('results', (message) => void (message && results.push(message)), { noAck: true });
  await until(() => replies.length >= 20, 'replies', DEADLINE_MILLISECONDS);
  app.service.kill();
  await app.service.exited;
  app = await startApp(trusting);
  const idsOf = (messages: readonly ConsumeMessage[]) =>
    new Set(messages.map(({ content }) => (JSON.parse(content.toString()) as Report).data.run_id));
  const correlated = () => new Set(replies.map(({ properties }) => String(properties.correlationId)));
  await until(() => correlated().size === MESSAGES, 'all replies', DEADLINE_MILLISECONDS);
  await until(() => idsOf(results).size === MESSAGES, 'all results', DEADLINE_MILLISECONDS);
  expect(correlated()).toEqual(new Set(Array.from({ length: MESSAGES }, (_, n) => `c-${n}`)));
  // One run for each message: a second one would have had its own reply.
  expect(idsOf(replies)).toEqual(idsOf(results));
  expect((await channel.checkQueue('orders')).messageCount).toBe(0);
}, 400_000);

interface Report {
  readonly data: { readonly run_id: string };
}
