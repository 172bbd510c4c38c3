// Starts a run of a flow with each message of a stream of NATS JetStream. docs/use/bridges.md explains it.
//
//   npm install @nats-io/transport-node @nats-io/jetstream
//   WEBHOOK_URL=http://127.0.0.1:7860/api/v1/webhook/<flow> MILLRACE_API_KEY=… \
//   NATS_STREAM=ORDERS NATS_DEAD_SUBJECT=dead.orders node nats-to-webhook.mjs
import { connect, headers, nanos } from '@nats-io/transport-node';
import { AckPolicy, JetStreamApiError, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { log, pauseAfter, readSettings, reasonOf, stopSignal, webhookSender } from './deliver.mjs';

/** @import { Consumer, JsMsg } from '@nats-io/jetstream' */

const { webhook, inFlight } = readSettings('NATS_STREAM', 'NATS_DEAD_SUBJECT');
const {
  NATS_URL = 'nats://127.0.0.1:4222',
  NATS_STREAM: stream = '',
  NATS_DEAD_SUBJECT: deadSubject = '',
  NATS_CONSUMER: consumerName = 'millrace',
  // Longer than a webhook takes to answer.
  NATS_ACK_SECONDS = '30',
} = process.env;
const CONSUMER_NOT_FOUND = 10_014;

const send = webhookSender(webhook);
const stopped = stopSignal();
const connection = await connect({
  servers: NATS_URL.split(','),
  name: 'millrace-bridge',
  maxReconnectAttempts: -1,
});
const js = jetstream(connection);
const manager = await jetstreamManager(connection);
// A dead letter that no stream stores would be lost: this throws where no stream has the subject.
await manager.streams.find(deadSubject);
const consumer = await openConsumer();

/** Messages that are being sent. @type {Set<Promise<void>>} */
const sending = new Set();
const messages = await consumer.consume({ max_messages: inFlight });
stopped.addEventListener('abort', () => messages.stop());
log('bridge ready', { stream, consumer: consumerName, inFlight });
for await (const message of messages) {
  const settled = settle(message)
    // Without an answer NATS delivers the message again.
    .catch((error) => log('message not settled', { sequence: message.seq, reason: reasonOf(error) }))
    .finally(() => sending.delete(settled));
  sending.add(settled);
  if (sending.size >= inFlight) await Promise.race(sending);
}
await Promise.all(sending);
// Sends what was acknowledged, then closes.
await connection.drain();
log('bridge stopped');
// Without a signal, the stream or the consumer was deleted.
process.exit(stopped.aborted ? 0 : 1);

/**
 * Opens the consumer, which keeps its place in the stream. One that an operator has made keeps its settings.
 * @returns {Promise<Consumer>}
 */
async function openConsumer() {
  try {
    return await js.consumers.get(stream, consumerName);
  } catch (error) {
    if (!(error instanceof JetStreamApiError && error.code === CONSUMER_NOT_FOUND)) throw error;
  }
  await manager.consumers.add(stream, {
    durable_name: consumerName,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(Number(NATS_ACK_SECONDS) * 1_000),
    max_ack_pending: inFlight * 4,
    // An outage of any length loses nothing.
    max_deliver: -1,
  });
  return js.consumers.get(stream, consumerName);
}

/**
 * Sends a message and tells NATS what became of it.
 * @param {JsMsg} message
 */
async function settle(message) {
  const { timestampNanos, deliveryCount } = message.info;
  // The time tells messages apart when a stream is deleted and made again: its sequence begins with 1 again.
  const key = `nats:${message.info.stream}:${message.seq}:${timestampNanos}`;
  const contentType = message.headers?.get('content-type') || undefined;
  const result = await send({ key, body: message.data, contentType });
  if (result.outcome === 'accepted') return message.ack();
  if (result.outcome === 'refused') return sendToDeadLetters(message, key, result.reason);
  log('message failed', { sequence: message.seq, delivery: deliveryCount, reason: result.reason });
  message.nak(pauseAfter(deliveryCount, result.retryAfterMilliseconds));
}

/**
 * Stores a message as a dead letter, then ends its deliveries.
 * @param {JsMsg} message
 * @param {string} key
 * @param {string} reason
 */
async function sendToDeadLetters(message, key, reason) {
  const facts = headers();
  for (const [name, values] of message.headers ?? []) for (const value of values) facts.append(name, value);
  facts.set('Millrace-Subject', message.subject);
  facts.set('Millrace-Key', key);
  facts.set('Millrace-Reason', reason.replace(/[^\x20-\x7e]+/g, ' '));
  // The id makes a dead letter that is stored twice within two minutes one.
  await js.publish(deadSubject, message.data, { headers: facts, msgID: key });
  log('message refused', { sequence: message.seq, reason });
  message.term();
}
