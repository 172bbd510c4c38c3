import { setTimeout as pause } from 'node:timers/promises';
import { readDeduplicatedText, DeduplicatedText } from '@millrace/messages';
import { openMessageBus } from '@millrace/messaging';
import type { Delivery, MessageBus, OutgoingMessage } from '@millrace/messaging';
import { createLogger } from '@millrace/service';
import { until } from '@millrace/service/testing';
import { ReplyStream, UnreachableReplyQueues } from './replies';

const logger = createLogger({ name: 'reply-stream-test', level: 'silent' });
const queue = { name: 'replies', kind: 'classic' } as const;
let bus: MessageBus;

beforeEach(async () => {
  bus = await openMessageBus({ url: undefined, logger, name: 'reply-stream-test' });
});

afterEach(() => bus.close());

test('a gateway that reconnects misses no frame', async () => {
  let isUnreachable = false;
  const stream = new ReplyStream({
    bus,
    logger,
    unreachableQueues: new UnreachableReplyQueues(),
    replyTo: queue.name,
    runId: 'run',
    attempt: 2,
    onUnreachable: () => (isUnreachable = true),
  });
  for (const word of ['one', 'two', 'three'])
    void stream.emit({ event: 'token', data: { chunk: word } } as never);
  const answered = stream.end('succeeded', '{}');
  await pause(300);
  const frames: Delivery[] = [];
  await bus.provision({ exchanges: [], queues: [queue], bindings: [] });
  await bus.consume(queue.name, { prefetch: 10, noAck: true }, async (delivery) => {
    frames.push(delivery);
    return 'done';
  });
  await answered;
  await until(() => frames.at(-1)?.type === 'final', 'the final frame was not received');
  const text = frames.map(({ body }) => body.toString()).join('');
  expect([...text.matchAll(/one|two|three/g)].map(([word]) => word)).toEqual(['one', 'two', 'three']);
  expect(frames.map(({ headers }) => headers['x-sequence'])).toEqual(frames.map((_frame, place) => place));
  expect(isUnreachable).toBe(false);
});

test('a run goes on in the next turn after its first token, so that the frame leaves before the tokens that arrived with it', async () => {
  const written: string[] = [];
  const stream = new ReplyStream({
    // As the connection to the broker does: a frame leaves at the end of the turn.
    bus: {
      publish: async ({ body }: OutgoingMessage) => void setImmediate(() => written.push(body.toString())),
    },
    logger,
    unreachableQueues: new UnreachableReplyQueues(),
    replyTo: queue.name,
    runId: 'run',
    attempt: 1,
    onUnreachable: () => undefined,
  });
  await stream.emit({ event: 'token', data: { chunk: 'one' } } as never);
  expect(written).toEqual([expect.stringContaining('one')]);
  for (const word of ['two', 'three']) {
    const emitted = stream.emit({ event: 'token', data: { chunk: word } } as never);
    expect(emitted).toBeUndefined();
  }
});

test('events that arrive together are sent in frames that a broker and a reader can take', async () => {
  const frames: { readonly body: string; readonly turn: number }[] = [];
  let turn = 0;
  const timer = setInterval(() => undefined, 1);
  const stream = new ReplyStream({
    bus: {
      publish: async ({ body }: OutgoingMessage) => {
        frames.push({ body: body.toString(), turn });
        setImmediate(() => (turn += 1));
      },
    },
    logger,
    unreachableQueues: new UnreachableReplyQueues(),
    replyTo: queue.name,
    runId: 'run',
    attempt: 1,
    onUnreachable: () => undefined,
  });
  const texts = Array.from({ length: 100 }, (_, place) => `${place}-`.padEnd(200_000, 'x'));
  texts.push('y'.repeat(3_000_000), 'z');
  for (const chunk of texts) void stream.emit({ event: 'token', data: { chunk } } as never);
  await stream.end('succeeded', '{}');
  clearInterval(timer);
  const events = frames.slice(0, -1);
  const lines = events.map(({ body }) => body.trimEnd().split('\n'));
  const chunkOf = (line: string) => (JSON.parse(line) as { data: { chunk: string } }).data.chunk;
  expect(lines.flat().map((line) => chunkOf(line)) as unknown).toEqual(texts);
  for (const [place, { body }] of events.entries())
    expect(lines[place]?.length === 1 || body.length <= 524_288).toBe(true);
  expect(new Set(events.map(({ turn: sentIn }) => sentIn)).size).toBeGreaterThan(30);
});

test('an unreachable gateway is given up, once for all its runs', async () => {
  const unreachableQueues = new UnreachableReplyQueues();
  let calls = 0;
  const options = {
    bus,
    logger,
    unreachableQueues,
    replyTo: 'nowhere',
    attempt: 1,
    onUnreachable: () => (calls += 1),
  };
  await new ReplyStream({ ...options, runId: 'first' }).end('succeeded', '{}');
  const publish = jest.spyOn(bus, 'publish');
  for (let run = 0; run < 20; run += 1)
    await new ReplyStream({ ...options, runId: `run-${run}` }).end('succeeded', '{}');
  expect(publish).toHaveBeenCalledTimes(20);
  expect(calls).toBe(21);
}, 15_000);

test('long texts of an answer are sent once, to a gateway that reads them', async () => {
  const long = Buffer.from('long '.repeat(1_000));
  const answer = new DeduplicatedText(
    [long],
    [Buffer.from('["'), Buffer.from('","'), Buffer.from('"]')],
    [0, 0],
  );
  const frames: Delivery[] = [];
  await bus.provision({ exchanges: [], queues: [queue], bindings: [] });
  await bus.consume(queue.name, { prefetch: 10, noAck: true }, async (delivery) => {
    frames.push(delivery);
    return 'done';
  });
  for (const deduplicatedTexts of [true, false]) {
    const stream = new ReplyStream({
      bus,
      logger,
      unreachableQueues: new UnreachableReplyQueues(),
      replyTo: queue.name,
      runId: 'run',
      attempt: 1,
      deduplicatedTexts,
      onUnreachable: () => undefined,
    });
    await stream.end('succeeded', answer);
  }
  await until(() => frames.length === 2, 'the answers were not received');
  const [shared, whole] = frames;
  expect(shared?.body.length).toBe(long.length + 7);
  expect(readDeduplicatedText(String(shared?.headers['x-texts']), shared!.body).toString()).toBe(
    answer.toString(),
  );
  expect(whole?.headers).not.toHaveProperty('x-texts');
  expect(whole?.body.toString()).toBe(answer.toString());
});
