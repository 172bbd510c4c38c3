import { ATTEMPT_HEADER, controlTopology, SEQUENCE_HEADER, STATUS_HEADER } from '@millrace/contracts';
import type { ControlMessage } from '@millrace/contracts';
import type { JobInHand } from './testing/test-executor';
import { openTestGateway } from './testing/test-gateway';
import type { TestGateway } from './testing/test-gateway';

type Question = Extract<ControlMessage, { kind: 'resend-frames' }>;

let gateway: TestGateway;
let hand: JobInHand;
/** What the executor does when it is asked for frames. */
let answer: (question: Question) => Promise<void> = async () => undefined;

beforeAll(async () => {
  gateway = await openTestGateway();
  await gateway.file({ name: 'empty', endpoint_name: 'empty', data: { nodes: [], edges: [] } });
  const topology = controlTopology(gateway.names, 'a-listener');
  await gateway.bus.provision(topology);
  await gateway.bus.consume(topology.queues[0]!.name, { prefetch: 10, noAck: true }, async ({ body }) => {
    const message = JSON.parse(body.toString()) as ControlMessage;
    if (message.kind === 'resend-frames') await answer(message);
    return 'done';
  });
}, 60_000);

afterAll(() => gateway.close());

beforeEach(() => {
  answer = async () => undefined;
});

async function frame(sequence: number, type: 'events' | 'final', body: unknown, attempt = 1): Promise<void> {
  await gateway.bus.publish({
    exchange: '',
    routingKey: hand.delivery.replyTo ?? '',
    body: Buffer.from(`${JSON.stringify(body)}\n`),
    persistent: false,
    mandatory: true,
    correlationId: hand.job.runId,
    type,
    headers: {
      [ATTEMPT_HEADER]: attempt,
      [SEQUENCE_HEADER]: sequence,
      ...(type === 'final' ? { [STATUS_HEADER]: 'succeeded' } : {}),
    },
  });
}

const token = (sequence: number, attempt = 1) =>
  frame(sequence, 'events', { event: 'token', data: { chunk: `${attempt}.${sequence}` } }, attempt);
const end = (sequence: number, attempt = 1) =>
  frame(sequence, 'final', { session_id: 's', outputs: [] }, attempt);

/** The events of a streamed run whose frames these are; the names of those that are no tokens. */
async function stream(tell: () => Promise<void>): Promise<readonly string[]> {
  gateway.executor.script = async (taken) => {
    hand = taken;
    await tell();
  };
  const { text } = await gateway.call('POST', '/api/v1/run/empty?stream=true', { input_value: 'x' });
  return text
    .split('\n\n')
    .filter((part) => part !== '')
    .map((part) => JSON.parse(part) as { event: string; data: { chunk?: string; error?: string } })
    .map(({ event, data }) => data.chunk ?? data.error ?? event);
}

test('a frame that is missing is asked for, and told in its place', async () => {
  const asked: Question[] = [];
  answer = async (question) => {
    asked.push(question);
    await token(1);
  };
  const told = await stream(async () => {
    await token(0);
    await token(2);
    await end(3);
  });
  expect(told).toEqual(['1.0', '1.1', '1.2', 'end']);
  expect(asked[0]).toMatchObject({ runId: hand.job.runId, attempt: 1, from: 1 });
});

test('frames that come twice are told once', async () => {
  answer = async () => {
    for (const sequence of [0, 1, 2, 3]) await token(sequence);
    await end(4);
  };
  const told = await stream(async () => {
    await token(0);
    await token(0);
    await end(4);
  });
  expect(told).toEqual(['1.0', '1.1', '1.2', '1.3', 'end']);
});

test('a stream whose frames nobody has ends with an error instead of its answer', async () => {
  const told = await stream(async () => {
    await token(0);
    await token(2);
    await end(3);
  });
  expect(told).toEqual(['1.0', '503: Events of the run were lost on their way.']);
}, 15_000);

test('an attempt that begins again ends the search for frames of the one before', async () => {
  const told = await stream(async () => {
    await token(0);
    await token(2);
    await token(0, 2);
    await end(1, 2);
  });
  expect(told).toEqual(['1.0', 'restart', '2.0', 'end']);
});

test('what an executor says of a run that is over is told when the stream has all before it', async () => {
  answer = async () => {
    await token(1);
    await end(2);
  };
  const told = await stream(async () => {
    await token(0);
    await end(1_000_000_000);
  });
  expect(told).toEqual(['1.0', '1.1', 'end']);
});

test('a stream that heard nothing has its end alone when nobody has more', async () => {
  expect(await stream(() => end(1_000_000_000, 1_000_000))).toEqual(['end']);
}, 15_000);

test('an answer that is not streamed waits for nothing', async () => {
  gateway.executor.script = async (taken) => {
    hand = taken;
    await end(7);
  };
  const whole = await gateway.call('POST', '/api/v1/run/empty', { input_value: 'x' });
  expect(whole).toMatchObject({ status: 200, json: { session_id: 's' } });
});
