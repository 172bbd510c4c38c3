import fc from 'fast-check';
import {
  ATTEMPT_HEADER,
  brokerNames,
  REPLY_BATCH,
  SEQUENCE_HEADER,
  DeduplicatedText,
  STATUS_HEADER,
  TEXTS_HEADER,
  writeReplyBatch,
  writeDeduplicatedText,
} from '@millrace/messages';
import type { BatchedReply } from '@millrace/messages';
import { openMessageBus } from '@millrace/messaging';
import type { MessageBus } from '@millrace/messaging';
import { createLogger, createMetrics } from '@millrace/service';
import { propertyCases, testSeed } from '@millrace/service/testing';
import { PendingRuns, UserConcurrencyLimit } from './pending-runs';
import { FairQueue } from './fair-queue';
import { PoolWatch } from './executor-pools';
import { ReadYourWrites } from './read-your-writes';

const CASES = propertyCases(10_000);
const names = brokerNames();
const lines: string[] = [];
const logger = createLogger({
  name: 'reply-batches-test',
  level: 'error',
  destination: { write: (line) => void lines.push(line) },
});
const metrics = createMetrics();
let bus: MessageBus;

beforeAll(async () => {
  bus = await openMessageBus({ url: undefined, logger, name: 'reply-batches-test' });
});
afterAll(() => bus.close());
beforeEach(() => void lines.splice(0));

/** Opens the pending runs of a gateway and a function that publishes to its reply queue. */
async function openGateway(instance: string) {
  const readYourWrites = new ReadYourWrites();
  const pending = new PendingRuns({
    bus,
    names,
    instance,
    logger,
    maximumRuns: 100,
    concurrencyLimit: new UserConcurrencyLimit(100, 1),
    fairQueue: new FairQueue({ announced: { slots: () => null } }),
    pools: new PoolWatch({ bus, names }),
    readYourWrites,
    control: { send: async () => undefined },
    gaps: metrics.counter(`millrace_gaps_${instance}`, 'Gaps.'),
  });
  await pending.open();
  const publish = (message: { type: string; body: Buffer; correlationId?: string; headers?: object }) =>
    bus.publish({
      exchange: '',
      routingKey: names.reply(instance),
      persistent: false,
      mandatory: true,
      ...(message as Required<typeof message> & { headers: Record<string, string> }),
    });
  return { pending, publish, readYourWrites };
}

type TestGateway = Awaited<ReturnType<typeof openGateway>>;

interface TestRun {
  readonly isStreamed: boolean;
  readonly events: readonly string[];
  readonly status: 'succeeded' | 'failed';
  readonly text: string;
}

const run: fc.Arbitrary<TestRun> = fc.record({
  isStreamed: fc.boolean(),
  events: fc.array(fc.string({ maxLength: 8 }), { maxLength: 3 }),
  status: fc.constantFrom('succeeded', 'failed'),
  text: fc.string({ unit: 'binary', maxLength: 20 }),
});

const runId = (index: number) => `run-${index}`;

function frames({ isStreamed, events, status, text }: TestRun, index: number): BatchedReply[] {
  const bodies = [
    ...(isStreamed ? events.map((event) => JSON.stringify({ event })) : []),
    JSON.stringify({ text }),
  ];
  return bodies.map((body, sequence) => {
    const isFinal = sequence === bodies.length - 1;
    return {
      type: isFinal ? 'final' : 'events',
      correlationId: runId(index),
      headers: {
        [ATTEMPT_HEADER]: 1,
        [SEQUENCE_HEADER]: sequence,
        ...(isFinal ? { [STATUS_HEADER]: status } : {}),
      },
      body: Buffer.from(body),
    };
  });
}

/** Returns what the callers of these runs receive while `send` publishes their frames. */
async function received(
  { pending }: TestGateway,
  runs: readonly TestRun[],
  send: () => Promise<void>,
  durable = false,
) {
  const events: string[][] = runs.map(() => []);
  const registered = runs.map(({ isStreamed }, index) =>
    pending.register({
      runId: runId(index),
      userId: 'user',
      project: { id: 'project', weight: 1 },
      flowId: 'flow',
      sessionId: 'session',
      requestId: null,
      pool: 'default',
      needsPython: false,
      deadline: Date.now() + 60_000,
      durable,
      onEvents: isStreamed ? (text) => void events[index]?.push(text.toString()) : null,
    }),
  );
  await send();
  const endings = await Promise.all(registered.map(({ ended }) => ended));
  return endings.map((ending, index) => ({
    events: events[index],
    ending: ending.kind === 'succeeded' ? ending.body.toString() : ending,
  }));
}

test('callers receive the same from batches as from single replies, also from repeated ones', async () => {
  const [single, batched] = [await openGateway('single'), await openGateway('batched')];
  const arrangement = fc.infiniteStream(fc.nat({ max: 5 }));
  await fc.assert(
    fc.asyncProperty(fc.array(run, { minLength: 1, maxLength: 4 }), arrangement, async (runs, next) => {
      const choose = () => Number(next.next().value);
      const order = interleaved(runs.map(frames), choose);
      const expected = await received(single, runs, async () => {
        for (const frame of order) await single.publish(frame);
      });
      const actual = await received(batched, runs, async () => {
        for (const batch of divided(order, choose)) {
          const message = { type: REPLY_BATCH, body: writeReplyBatch(batch) };
          const repetitions = choose() === 0 ? 2 : 1;
          for (let count = 0; count < repetitions; count += 1) await batched.publish(message);
        }
      });
      expect(actual).toEqual(expected);
    }),
    { numRuns: CASES, seed: testSeed() },
  );
  expect(lines).toEqual([]);
  await Promise.all([single.pending.close(), batched.pending.close()]);
}, 120_000);

test('an answer whose long texts were sent once is whole, alone and in a batch; one with a wrong layout is logged', async () => {
  const gateway = await openGateway('shared');
  const text = new DeduplicatedText(
    [Buffer.from('é "escaped\\"')],
    ['{"a":"', '","b":["', '"]}'].map((piece) => Buffer.from(piece)),
    [0, 0],
  );
  const { layout, body } = writeDeduplicatedText(text);
  const reply = (index: number, texts: string): BatchedReply => ({
    type: 'final',
    correlationId: runId(index),
    headers: {
      [ATTEMPT_HEADER]: 1,
      [SEQUENCE_HEADER]: 0,
      [STATUS_HEADER]: 'succeeded',
      [TEXTS_HEADER]: texts,
    },
    body,
  });
  const runs: TestRun[] = [0, 1].map(() => ({
    isStreamed: false,
    events: [],
    status: 'succeeded',
    text: '',
  }));
  const answers = await received(gateway, runs, async () => {
    await gateway.publish(reply(0, '[[1],[1],[]]'));
    await gateway.publish(reply(0, layout));
    await gateway.publish({ type: REPLY_BATCH, body: writeReplyBatch([reply(1, layout)]) });
  });
  expect(answers.map(({ ending }) => ending)).toEqual([text.toString(), text.toString()]);
  expect(lines).toEqual([expect.stringContaining('a reply could not be read')]);
});

test('a batch that cannot be read is logged, and later replies are received', async () => {
  const gateway = await openGateway('other');
  const one: TestRun = { isStreamed: false, events: [], status: 'succeeded', text: 'x' };
  const answers = await received(gateway, [one], async () => {
    await gateway.publish({ type: REPLY_BATCH, body: Buffer.from('no batch') });
    await gateway.publish({ type: REPLY_BATCH, body: writeReplyBatch(frames(one, 0)) });
  });
  expect(answers).toEqual([{ events: [], ending: '{"text":"x"}' }]);
  expect(lines).toEqual([expect.stringContaining('a batch of replies could not be read')]);
  await gateway.pending.close();
});

test.each([true, false])(
  'a read waits for the record of an answered run, unless it is durable: %j',
  async (durable) => {
    const gateway = await openGateway(`reads-${durable}`);
    const one: TestRun = { isStreamed: false, events: [], status: 'succeeded', text: 'x' };
    const [frame] = frames(one, 0);
    await received(gateway, [one], () => gateway.publish(frame as BatchedReply), durable);
    // The executor stores the end of a durable run before it answers, and reports no record.
    expect(gateway.readYourWrites.size).toBe(durable ? 0 : 1);
    await gateway.pending.close();
  },
);

/** Merges lists in an order that `choose` selects; each keeps its own order. */
function interleaved(lists: readonly (readonly BatchedReply[])[], choose: () => number): BatchedReply[] {
  const left = lists.map((list) => [...list]);
  const order: BatchedReply[] = [];
  for (let open = left; open.length > 0; open = left.filter(({ length }) => length > 0)) {
    const frame = open[choose() % open.length]?.shift();
    if (frame) order.push(frame);
  }
  return order;
}

/** Divides a list into parts of one to six. */
function divided(list: readonly BatchedReply[], choose: () => number): BatchedReply[][] {
  const parts: BatchedReply[][] = [];
  for (let start = 0; start < list.length;) {
    const length = 1 + choose();
    parts.push(list.slice(start, start + length));
    start += length;
  }
  return parts;
}
