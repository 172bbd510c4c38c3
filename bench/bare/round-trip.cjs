// The limit of a synchronous run: Express and one round trip over RabbitMQ with classic queues. Two processes:
//   node round-trip.cjs answer   consumes requests from a queue and replies to each with 1.5 kB
//   node round-trip.cjs serve    accepts POSTs, sends each over the broker and answers with the reply
const { randomBytes } = require('node:crypto');
const amqp = require('amqplib');
const { answer, listen, ready, run } = require('./bare-app.cjs');

/** @typedef {import('amqplib').Channel} Channel */

const queue = process.env.BENCH_QUEUE ?? '';
const url = process.env.AMQP_URL ?? '';

run(async () => {
  const options = { noDelay: true, heartbeat: 5 };
  const publishing = await (await amqp.connect(url, options)).createChannel();
  const consuming = await (await amqp.connect(url, options)).createChannel();
  if (process.argv[2] === 'answer') await answering(publishing, consuming);
  else await serving(publishing, consuming);
});

/**
 * @param {Channel} publishing
 * @param {Channel} consuming
 */
async function answering(publishing, consuming) {
  await consuming.assertQueue(queue, { durable: false, autoDelete: true });
  await consuming.prefetch(128);
  await consuming.consume(queue, (message) => {
    if (message === null) return;
    const { replyTo, correlationId } = message.properties;
    publishing.sendToQueue(replyTo, answer, { correlationId });
    consuming.ack(message);
  });
  ready(0);
}

/**
 * @param {Channel} publishing
 * @param {Channel} consuming
 */
async function serving(publishing, consuming) {
  /** @type {Map<unknown, import('node:http').ServerResponse>} */
  const waiting = new Map();
  const replies = await consuming.assertQueue('', { exclusive: true });
  /** @param {import('amqplib').ConsumeMessage | null} message */
  const take = (message) => {
    if (message === null) return;
    const { correlationId } = message.properties;
    waiting.get(correlationId)?.writeHead(200, { 'content-type': 'application/json' }).end(message.content);
    waiting.delete(correlationId);
  };
  await consuming.consume(replies.queue, take, { noAck: true });
  let count = 0;
  const prefix = randomBytes(4).toString('hex');
  await listen((_, response, body) => {
    const correlationId = `${prefix}-${++count}`;
    waiting.set(correlationId, response);
    publishing.sendToQueue(queue, body, { correlationId, replyTo: replies.queue });
  });
}
