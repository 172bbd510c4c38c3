import { readReplyBatch, REPLY_BATCH } from '@millrace/messages';
import { UnconfirmedError } from '@millrace/messaging';
import type { OutgoingMessage } from '@millrace/messaging';
import { openReplyBatches } from './replies';
import type { ReplyMessage } from './replies';

function reply(correlationId: string, { queue = 'one', bytes = 10 } = {}): ReplyMessage {
  return {
    exchange: '',
    routingKey: queue,
    body: Buffer.alloc(bytes, correlationId),
    persistent: false,
    mandatory: true,
    correlationId,
    type: 'final',
    headers: { 'x-attempt': 1, 'x-sequence': 0, 'x-status': 'succeeded' },
  };
}

/** Returns batches whose messages are recorded; `publish` decides the outcome of each. */
function recording(publish: (message: OutgoingMessage) => Promise<void> = async () => undefined) {
  const messages: OutgoingMessage[] = [];
  const batches = openReplyBatches({
    publish: (message) => {
      messages.push(message);
      return publish(message);
    },
  });
  return { messages, batches };
}

const runsOf = ({ type, body, correlationId }: OutgoingMessage) =>
  type === REPLY_BATCH ? readReplyBatch(body).map((one) => one.correlationId) : [correlationId];

test('a reply that is alone in its turn is published as it is', async () => {
  const { messages, batches } = recording();
  const only = reply('a');
  await batches.publish(only);
  expect(messages).toEqual([only]);
  expect(messages[0]).toBe(only);
});

test('replies of one turn share a message for each queue', async () => {
  const { messages, batches } = recording();
  const replies = [reply('a'), reply('b', { queue: 'other' }), reply('c')];
  await Promise.all(replies.map((one) => batches.publish(one)));
  expect(messages.map((message) => [message.routingKey, runsOf(message)])).toEqual([
    ['one', ['a', 'c']],
    ['other', ['b']],
  ]);
  const [batch] = messages;
  expect(batch).toMatchObject({ exchange: '', persistent: false, mandatory: true, type: REPLY_BATCH });
  expect(readReplyBatch(batch!.body)).toEqual(
    [replies[0]!, replies[2]!].map(({ type, correlationId, headers, body }) => ({
      type,
      correlationId,
      headers,
      body,
    })),
  );
});

test('replies of later turns have messages of their own', async () => {
  const { messages, batches } = recording(() => new Promise(setImmediate));
  const first = batches.publish(reply('a'));
  await new Promise(setImmediate);
  await Promise.all([first, batches.publish(reply('b'))]);
  expect(messages.map(runsOf)).toEqual([['a'], ['b']]);
});

test('a batch has at most 64 replies and 256 KiB, and a larger reply is alone', async () => {
  const { messages, batches } = recording();
  const names = Array.from({ length: 150 }, (_, index) => `run-${index}`);
  await Promise.all(names.map((name) => batches.publish(reply(name))));
  expect(messages.map((message) => runsOf(message).length)).toEqual([64, 64, 22]);
  expect(messages.flatMap(runsOf)).toEqual(names);
  messages.length = 0;
  const large = Array.from({ length: 6 }, (_, index) => reply(`large-${index}`, { bytes: 60_000 }));
  await Promise.all([...large, reply('alone', { bytes: 65_537 })].map((one) => batches.publish(one)));
  expect(messages.map((message) => runsOf(message).length)).toEqual([1, 4, 2]);
});

test('the outcome of a message is that of each of its replies, and of no other', async () => {
  const lost = new UnconfirmedError('lost');
  const { batches } = recording(({ routingKey }) =>
    routingKey === 'one' ? Promise.reject(lost) : Promise.resolve(),
  );
  const outcomes = await Promise.allSettled(
    [reply('a'), reply('b'), reply('c', { queue: 'other' })].map((one) => batches.publish(one)),
  );
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
});
