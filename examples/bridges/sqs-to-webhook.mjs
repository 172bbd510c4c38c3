// Starts a run of a flow with each message of a queue of Amazon SQS. docs/use/bridges.md explains it.
//
//   npm install @aws-sdk/client-sqs
//   WEBHOOK_URL=http://127.0.0.1:7860/api/v1/webhook/<flow> MILLRACE_API_KEY=… \
//   SQS_QUEUE_URL=https://sqs.eu-west-1.amazonaws.com/123456789012/orders \
//   SQS_DEAD_QUEUE_URL=https://sqs.eu-west-1.amazonaws.com/123456789012/orders-dead node sqs-to-webhook.mjs
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import {
  log,
  pauseAfter,
  pauseUnless,
  readSettings,
  reasonOf,
  stopSignal,
  webhookSender,
} from './deliver.mjs';

/** @import { Message } from '@aws-sdk/client-sqs' */

const { webhook, inFlight } = readSettings('SQS_QUEUE_URL', 'SQS_DEAD_QUEUE_URL');
const {
  SQS_QUEUE_URL: QueueUrl = '',
  SQS_DEAD_QUEUE_URL: deadQueueUrl = '',
  SQS_WAIT_SECONDS = '20',
} = process.env;
/** Longer than a webhook takes to answer, and than the attempts of the client. */
const VISIBILITY_SECONDS = 60;
/** What SQS gives at a time. */
const BATCH = 10;

const send = webhookSender(webhook);
const stopped = stopSignal();
// Region, credentials and the address come from the environment, as for every client of AWS.
const client = new SQSClient({ maxAttempts: 5 });

log('bridge ready', { queue: QueueUrl, inFlight });
await Promise.all(batchSizes().map(receive));
client.destroy();
log('bridge stopped');

/** Returns how many messages each of the loops takes at a time: together as many as are in flight. */
function batchSizes() {
  const sizes = Array.from({ length: Math.floor(inFlight / BATCH) }, () => BATCH);
  return inFlight % BATCH === 0 ? sizes : [...sizes, inFlight % BATCH];
}

/**
 * Receives messages and settles each, until the process is stopped.
 * @param {number} MaxNumberOfMessages
 */
async function receive(MaxNumberOfMessages) {
  let failures = 0;
  while (!stopped.aborted) {
    try {
      const { Messages = [] } = await client.send(
        new ReceiveMessageCommand({
          QueueUrl,
          MaxNumberOfMessages,
          WaitTimeSeconds: Number(SQS_WAIT_SECONDS),
          VisibilityTimeout: VISIBILITY_SECONDS,
          MessageSystemAttributeNames: ['ApproximateReceiveCount'],
        }),
        { abortSignal: stopped },
      );
      failures = 0;
      await Promise.all(Messages.map(settleOrLeave));
    } catch (error) {
      if (stopped.aborted) return;
      log('receiving failed', { reason: reasonOf(error) });
      await pauseUnless(pauseAfter((failures += 1)), stopped);
    }
  }
}

/**
 * A message that could not be settled becomes visible again by itself.
 * @param {Message} message
 */
async function settleOrLeave(message) {
  await settle(message).catch((error) =>
    log('message not settled', { message: message.MessageId, reason: reasonOf(error) }),
  );
}

/** @param {Message} message */
async function settle({ MessageId = '', Body = '', ReceiptHandle, Attributes }) {
  const result = await send({ key: `sqs:${MessageId}`, body: Body });
  if (result.outcome === 'failed') {
    const receives = Number(Attributes?.ApproximateReceiveCount ?? 1);
    const VisibilityTimeout = Math.ceil(pauseAfter(receives, result.retryAfterMilliseconds) / 1_000);
    log('message failed', { message: MessageId, receives, reason: result.reason });
    await client.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout }));
    return;
  }
  if (result.outcome === 'refused') {
    const MessageAttributes = {
      MillraceReason: { DataType: 'String', StringValue: result.reason.replace(/[^\x20-\x7e]+/g, ' ') },
      MillraceMessageId: { DataType: 'String', StringValue: MessageId },
    };
    await client.send(
      new SendMessageCommand({ QueueUrl: deadQueueUrl, MessageBody: Body, MessageAttributes }),
    );
    log('message refused', { message: MessageId, reason: result.reason });
  }
  await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
}
