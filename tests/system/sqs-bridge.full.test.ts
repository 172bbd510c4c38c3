import { until } from '@millrace/service/testing';
import { startBridge, startWebhookRecorder } from './bridge-process.fixture';
import type { Bridge, WebhookRecorder } from './bridge-process.fixture';
import { startExamples } from './running-examples';
import type { RunningExamples } from './running-examples';
import { FakeSqs } from './sqs-server.fixture';

let system: RunningExamples;
let recorder: WebhookRecorder;
let sqs: FakeSqs;

beforeAll(async () => {
  [system, sqs] = await Promise.all([startExamples(), FakeSqs.start()]);
  recorder = await startWebhookRecorder(system.url);
}, 120_000);

afterAll(async () => {
  await recorder?.close();
  await sqs?.close();
  await system?.close();
}, 60_000);

const start = (
  queue: string,
  dead: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<Bridge> =>
  startBridge('sqs-to-webhook.mjs', {
    WEBHOOK_URL: `${recorder.url}/api/v1/webhook/echo`,
    MILLRACE_API_KEY: system.key,
    SQS_QUEUE_URL: queue,
    SQS_DEAD_QUEUE_URL: dead,
    SQS_WAIT_SECONDS: '1',
    IN_FLIGHT: '12',
    AWS_ENDPOINT_URL_SQS: sqs.url,
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'AKIDFAKE',
    AWS_SECRET_ACCESS_KEY: 'fake-secret',
    ...environment,
  });

test('each message is deleted after its 202, also when the bridge is killed', async () => {
  const [queue, dead] = [sqs.createQueue('orders'), sqs.createQueue('orders-dead')];
  const ids = Array.from({ length: 60 }, (_, n) => sqs.send(queue, JSON.stringify({ n })));
  const early: string[] = [];
  sqs.onDeleted = (id) => void (recorder.accepted.has(`sqs:${id}`) || early.push(id));
  const first = await start(queue, dead);
  await until(() => recorder.accepted.size >= 20);
  await first.kill();
  // What was received and not deleted is delivered again, as after its visibility timeout.
  sqs.showAll(queue);
  const second = await start(queue, dead);
  await until(() => sqs.messages(queue).length === 0);
  expect(await second.stop()).toBe(0);
  expect([...recorder.accepted].toSorted()).toEqual(ids.map((id) => `sqs:${id}`).toSorted());
  expect(early).toEqual([]);
  expect(sqs.messages(dead)).toEqual([]);
}, 120_000);

test('a message that is refused goes to the other queue, and one that fails is hidden for a while', async () => {
  const [queue, dead] = [sqs.createQueue('mixed'), sqs.createQueue('mixed-dead')];
  const body = JSON.stringify(Array.from({ length: 30_000 }, () => 0));
  const id = sqs.send(queue, body);
  const bridge = await start(queue, dead);
  await until(() => sqs.messages(queue).length === 0);
  expect(await bridge.stop()).toBe(0);
  const [letter] = sqs.messages(dead);
  expect(letter?.body).toBe(body);
  expect(letter?.attributes).toMatchObject({
    MillraceReason: { DataType: 'String', StringValue: expect.stringMatching(/^413 /) },
    MillraceMessageId: { DataType: 'String', StringValue: id },
  });

  const kept = sqs.send(queue, '{}');
  const wrong = await start(queue, dead, { MILLRACE_API_KEY: 'sk-wrong' });
  const events = () => sqs.events.filter((event) => event.id === kept).map(({ action }) => action);
  await until(() => events().length >= 3);
  expect(await wrong.stop()).toBe(0);
  expect(events().slice(0, 3)).toEqual(['received', 'delayed', 'received']);
  expect(sqs.messages(queue)).toHaveLength(1);
  expect(sqs.messages(dead)).toHaveLength(1);
}, 120_000);
