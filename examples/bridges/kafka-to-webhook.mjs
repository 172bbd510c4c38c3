// Starts a run of a flow with each record of a topic of Apache Kafka. docs/use/bridges.md explains it.
//
//   npm install kafkajs
//   WEBHOOK_URL=http://127.0.0.1:7860/api/v1/webhook/<flow> MILLRACE_API_KEY=… \
//   KAFKA_BROKERS=127.0.0.1:9092 KAFKA_TOPIC=orders KAFKA_DEAD_TOPIC=orders.dead node kafka-to-webhook.mjs
import kafkajs from 'kafkajs';
import { log, pauseAfter, pauseUnless, readSettings, stopSignal, webhookSender } from './deliver.mjs';

const { webhook, inFlight } = readSettings('KAFKA_BROKERS', 'KAFKA_TOPIC', 'KAFKA_DEAD_TOPIC');
const {
  KAFKA_BROKERS = '',
  KAFKA_TOPIC: topic = '',
  KAFKA_DEAD_TOPIC: deadTopic = '',
  KAFKA_GROUP = 'millrace',
} = process.env;
/** A consumer that is silent for 30 s (`sessionTimeout`) loses its partitions. */
const HEARTBEAT_MILLISECONDS = 3_000;

const send = webhookSender(webhook);
const stopped = stopSignal();
const kafka = new kafkajs.Kafka({
  clientId: 'millrace-bridge',
  brokers: KAFKA_BROKERS.split(','),
  retry: { initialRetryTime: 300, maxRetryTime: 30_000, retries: 10 },
});
const consumer = kafka.consumer({ groupId: KAFKA_GROUP, sessionTimeout: 30_000 });
const producer = kafka.producer();
// kafkajs starts a consumer again after errors that can pass. After others a supervisor starts the process.
consumer.on(consumer.events.CRASH, ({ payload }) => {
  log('consumer failed', { reason: payload.error.message, restarts: payload.restart });
  if (!payload.restart) process.exit(1);
});

await producer.connect();
await consumer.connect();
await consumer.subscribe({ topic, fromBeginning: true });
await consumer.run({ autoCommit: false, eachBatchAutoResolve: false, eachBatch: sendBatch });
log('bridge ready', { topic, group: KAFKA_GROUP, inFlight });
if (!stopped.aborted) await new Promise((resolve) => stopped.addEventListener('abort', resolve));
await consumer.disconnect();
await producer.disconnect();
log('bridge stopped');

/**
 * Sends the records of one partition, up to IN_FLIGHT at a time. An offset is committed once it and all before it have
 * their 202: after a crash the records since the last commit are sent again, with the same keys.
 */
async function sendBatch({ batch, heartbeat, isRunning, isStale, resolveOffset, commitOffsetsIfNecessary }) {
  const mayGoOn = () => isRunning() && !isStale() && !stopped.aborted;
  const beat = setInterval(() => void heartbeat().catch(() => undefined), HEARTBEAT_MILLISECONDS);
  try {
    for (let start = 0; start < batch.messages.length && mayGoOn(); start += inFlight) {
      const records = batch.messages.slice(start, start + inFlight);
      const settled = await Promise.all(records.map((record) => settle(record, batch.partition, mayGoOn)));
      // The place in the partition stays before the first record that is not settled.
      const count = settled.includes(false) ? settled.indexOf(false) : settled.length;
      if (count === 0) return;
      resolveOffset(records[count - 1].offset);
      const next = String(BigInt(records[count - 1].offset) + 1n);
      await commitOffsetsIfNecessary({
        topics: [{ topic, partitions: [{ partition: batch.partition, offset: next }] }],
      });
      if (count < settled.length) return;
      await heartbeat();
    }
  } finally {
    clearInterval(beat);
  }
}

/**
 * Sends a record until it has its 202 or is a dead letter. Resolves to false when the partition was given to another
 * consumer or the process stops.
 */
async function settle({ offset, timestamp, key, value, headers }, partition, mayGoOn) {
  // A record without a value (a tombstone) is no message.
  if (value === null) return true;
  // The time tells records apart when a topic is deleted and made again: its offsets begin with 0 again.
  const id = `kafka:${topic}:${partition}:${offset}:${timestamp}`;
  for (let attempt = 1; mayGoOn(); attempt += 1) {
    const result = await send({ key: id, body: value });
    if (result.outcome === 'accepted') return true;
    if (result.outcome === 'refused') {
      const reason = { 'millrace-reason': result.reason, 'millrace-key': id };
      await producer.send({
        topic: deadTopic,
        acks: -1,
        messages: [{ key, value, headers: { ...headers, ...reason } }],
      });
      log('record refused', { partition, offset, reason: result.reason });
      return true;
    }
    log('record failed', { partition, offset, attempt, reason: result.reason });
    await pauseUnless(pauseAfter(attempt, result.retryAfterMilliseconds), stopped);
  }
  return false;
}
