import type { OutgoingMessage } from './message-bus';
import { TurnBatches } from './turn-batches';

const message = (bytes: number, routingKey = 'a'): OutgoingMessage => ({
  exchange: 'e',
  routingKey,
  body: Buffer.alloc(bytes),
  persistent: false,
  mandatory: false,
});

/** Sent messages as their routing key and their bytes, or the bytes of each that they carry. */
function opened(fails = false) {
  const sent: string[] = [];
  const turns: (() => void)[] = [];
  const batches = new TurnBatches<OutgoingMessage>({
    bus: {
      publish: async ({ routingKey, messageId, body }) => {
        sent.push(`${routingKey} ${messageId ?? body.length}`);
        if (fails) throw new Error('refused');
      },
    },
    maximumMessageBytes: 10,
    maximumBatchBytes: 20,
    maximumBatchMessages: 3,
    join: ([first, ...others]) => ({
      ...first,
      messageId: [first, ...others].map(({ body }) => body.length).join('+'),
    }),
    afterTurn: (work) => void turns.push(work),
  });
  const endTurn = () => {
    for (const work of turns.splice(0)) work();
  };
  return { batches, sent, turns, endTurn };
}

test.each([
  ['one message', [message(10)], ['a 10']],
  ['messages up to their number', [1, 2, 3, 4].map((bytes) => message(bytes)), ['a 1+2+3', 'a 4']],
  ['messages up to their bytes', [10, 10, 1, 2].map((bytes) => message(bytes)), ['a 10+10', 'a 1+2']],
  ['messages one byte above', [10, 9, 2, 10].map((bytes) => message(bytes)), ['a 10+9', 'a 2+10']],
  ['messages of two queues', [message(1), message(2, 'b'), message(3)], ['a 1+3', 'b 2']],
])('%s of a turn are sent together', async (_what, messages, expected) => {
  const { batches, sent, turns, endTurn } = opened();
  const published = messages.map((one) => batches.publish(one));
  expect([sent, turns.length]).toEqual([[], 1]);
  endTurn();
  await Promise.all(published);
  expect(sent).toEqual(expected);
});

test('a large message is sent alone and at once', async () => {
  const { batches, sent, turns } = opened();
  await batches.publish(message(11));
  expect([sent, turns]).toEqual([['a 11'], []]);
});

test('each turn has batches of its own', async () => {
  const { batches, sent, endTurn } = opened();
  for (const bytes of [1, 2]) {
    const published = batches.publish(message(bytes));
    endTurn();
    await published;
  }
  expect(sent).toEqual(['a 1', 'a 2']);
});

test('the failure of a batch is that of each of its messages', async () => {
  const { batches, endTurn } = opened(true);
  const published = Promise.allSettled([batches.publish(message(1)), batches.publish(message(2))]);
  endTurn();
  const refused = { status: 'rejected', reason: expect.objectContaining({ message: 'refused' }) as unknown };
  expect(await published).toEqual([refused, refused]);
});
