import { ATTEMPT_HEADER, controlTopology, SEQUENCE_HEADER, STATUS_HEADER } from '@millrace/messages';
import type { ControlMessage } from '@millrace/messages';
import { recordingLogger } from '@millrace/service/testing';
import type { TakenJob } from '../testing/test-executor';
import { gatewayForTests } from '../testing/test-gateway';

type ResendRequest = Extract<ControlMessage, { kind: 'resend-frames' }>;

let takenJob: TakenJob;
/** The executor's reaction to a request for frames. */
let onResendRequest: (resendRequest: ResendRequest) => Promise<void> = async () => undefined;

const logger = recordingLogger();
const gateway = gatewayForTests({ logger });
beforeAll(async () => {
  await gateway.createFlow({ name: 'empty', endpoint_name: 'empty', data: { nodes: [], edges: [] } });
  const topology = controlTopology(gateway.names, 'a-listener');
  await gateway.bus.provision(topology);
  await gateway.bus.consume(topology.queues[0]!.name, { prefetch: 10, noAck: true }, async ({ body }) => {
    const message = JSON.parse(body.toString()) as ControlMessage;
    if (message.kind === 'resend-frames') await onResendRequest(message);
    return 'done';
  });
}, 60_000);

beforeEach(() => {
  onResendRequest = async () => undefined;
});

async function frame(sequence: number, type: 'events' | 'final', body: unknown, attempt = 1): Promise<void> {
  await gateway.bus.publish({
    exchange: '',
    routingKey: takenJob.delivery.replyTo ?? '',
    body: Buffer.from(`${JSON.stringify(body)}\n`),
    persistent: false,
    mandatory: true,
    correlationId: takenJob.job.runId,
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

/** The events of a streamed run with these frames: the chunks of tokens, the names of other events. */
async function stream(sendFrames: () => Promise<void>): Promise<readonly string[]> {
  gateway.executor.handleJob = async (job) => {
    takenJob = job;
    await sendFrames();
  };
  const { text } = await gateway.call('POST', '/api/v1/run/empty?stream=true', { input_value: 'x' });
  return text
    .split('\n\n')
    .filter((part) => part !== '')
    .map((part) => JSON.parse(part) as { event: string; data: { chunk?: string; error?: string } })
    .map(({ event, data }) => data.chunk ?? data.error ?? event);
}

test('a missing frame is requested and delivered in order', async () => {
  const requests: ResendRequest[] = [];
  onResendRequest = async (resendRequest) => {
    requests.push(resendRequest);
    await token(1);
  };
  const events = await stream(async () => {
    await token(0);
    await token(2);
    await end(3);
  });
  expect(events).toEqual(['1.0', '1.1', '1.2', 'end']);
  expect(requests[0]).toMatchObject({ runId: takenJob.job.runId, attempt: 1, from: 1 });
});

test('duplicate frames are delivered once', async () => {
  onResendRequest = async () => {
    for (const sequence of [0, 1, 2, 3]) await token(sequence);
    await end(4);
  };
  const events = await stream(async () => {
    await token(0);
    await token(0);
    await end(4);
  });
  expect(events).toEqual(['1.0', '1.1', '1.2', '1.3', 'end']);
});

test('a stream with lost frames ends with an error instead of its answer', async () => {
  const events = await stream(async () => {
    await token(0);
    await token(2);
    await end(3);
  });
  expect(events).toEqual(['1.0', '503: Events of the run were lost in transit.']);
  const lost = logger.fieldsOf('frames of a streamed run are lost');
  expect(lost).toEqual([{ runId: takenJob.job.runId, attempt: 1, from: 1 }]);
}, 15_000);

test('a new attempt ends the search for frames of the previous one', async () => {
  const events = await stream(async () => {
    await token(0);
    await token(2);
    await token(0, 2);
    await end(1, 2);
  });
  expect(events).toEqual(['1.0', 'restart', '2.0', 'end']);
});

test('a final frame for an ended run is delivered after all earlier frames', async () => {
  onResendRequest = async () => {
    await token(1);
    await end(2);
  };
  const events = await stream(async () => {
    await token(0);
    await end(1_000_000_000);
  });
  expect(events).toEqual(['1.0', '1.1', 'end']);
});

test('a stream without any frame gets only its end when the frames are lost', async () => {
  expect(await stream(() => end(1_000_000_000, 1_000_000))).toEqual(['end']);
}, 15_000);

test('an answer that is not streamed does not wait for missing frames', async () => {
  gateway.executor.handleJob = async (job) => {
    takenJob = job;
    await end(7);
  };
  const whole = await gateway.call('POST', '/api/v1/run/empty', { input_value: 'x' });
  expect(whole).toMatchObject({ status: 200, json: { session_id: 's' } });
});
