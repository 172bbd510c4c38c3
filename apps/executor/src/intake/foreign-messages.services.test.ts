import { randomBytes, randomUUID } from 'node:crypto';
import { connect } from 'amqplib';
import type { Channel, ChannelModel } from 'amqplib';
import type { Database } from '@millrace/database';
import { until } from '@millrace/service/testing';
import { openTestDatabase, openTestInstallation } from '../testing/test-installation';
import type { TestInstallation } from '../testing/test-installation';

let database: Database;
let given: TestInstallation;
let broker: ChannelModel;
let channel: Channel;

beforeAll(async () => {
  const brokerUrl = process.env['AMQP_URL'];
  if (!brokerUrl) throw new Error('AMQP_URL is not set: this test needs a RabbitMQ server');
  broker = await connect(brokerUrl);
  channel = await broker.createChannel();
  database = await openTestDatabase();
  given = await openTestInstallation(database, { brokerUrl, prefix: `test-${randomUUID()}.` });
  await given.startExecutor('worker-1');
}, 60_000);

afterAll(async () => {
  const { names } = given;
  await given.close();
  await database.close();
  const lanes = [names.lane('interactive', 'default'), names.lane('background', 'default')];
  for (const queue of [...lanes, names.quarantineQueue, names.deadQueue]) await channel.deleteQueue(queue);
  for (const exchange of [names.runsExchange, names.deadExchange, names.controlExchange])
    await channel.deleteExchange(exchange);
  await broker.close();
}, 60_000);

/** Puts a message directly into the queue of the background lane. */
function put(body: Buffer): void {
  channel.sendToQueue(given.names.lane('background', 'default'), body, { persistent: true });
}

/** Removes and returns the next dead letter. */
async function nextDead(): Promise<Buffer> {
  const dead: Buffer[] = [];
  await until(async () => {
    const message = await channel.get(given.names.deadQueue, { noAck: true });
    if (message) dead.push(message.content);
    return dead.length > 0;
  }, 'no dead letter was received');
  return dead[0] as Buffer;
}

const noise = randomBytes(1_000);
const large = Buffer.from(JSON.stringify({ schemaVersion: 1, filler: 'x'.repeat(5_000_000) }));

test.each([
  ['random bytes', noise],
  ['5 MB of something else', large],
  ['an empty body', Buffer.alloc(0)],
])('%s: the message is dead-lettered, and the executor continues', async (_, body) => {
  put(body);
  expect((await nextDead()).equals(body)).toBe(true);
  const job = await given.accept(given.echo);
  await given.send(job);
  expect((await given.finalReply(job.runId)).headers['x-status']).toBe('succeeded');
});

test.each([0, 2])(
  'a job of version %d is dead-lettered, and its run waits for a job of the right version',
  async (version) => {
    const job = await given.accept(given.echo);
    put(Buffer.from(JSON.stringify({ ...job, schemaVersion: version })));
    expect((await nextDead()).toString()).toContain(job.runId);
    expect(await given.runs.find(given.userId, job.runId)).toMatchObject({ status: 'accepted', attempt: 0 });
    await given.send(job);
    expect((await given.finalReply(job.runId)).headers['x-status']).toBe('succeeded');
  },
);

test('the caller of a run with a row gets no error for a job of another version', async () => {
  const job = await given.accept(given.echo, { lane: 'interactive' });
  await given.sendText(JSON.stringify({ ...job, schemaVersion: 2 }), { ...job, lane: 'interactive' });
  await given.send({ ...job, lane: 'interactive' });
  await given.finalReply(job.runId);
  expect(given.finals(job.runId).map(({ headers }) => headers['x-status'])).toEqual(['succeeded']);
});
