import { brokerNames, JOB_BATCH, readJobBatch } from '@millrace/messages';
import { jobMessage } from '@millrace/dispatch';
import { UnroutableError } from '@millrace/messaging';
import type { OutgoingMessage } from '@millrace/messaging';
import { openJobBatches } from './job-batches';

const names = brokerNames();

function job(runId: string, { pool = 'default', bytes = 10, expirationMilliseconds = 1_000 } = {}) {
  return jobMessage(names, {
    job: {
      runId,
      lane: 'interactive' as const,
      pool,
      flowId: 'flow',
      flowVersion: 1,
      userId: 'user',
      durable: false,
      deadline: 0,
      acceptedAt: 0,
      claimCheck: null,
    },
    requestText: JSON.stringify({ text: 'x'.repeat(bytes) }),
    replyTo: 'replies',
    expirationMilliseconds,
  });
}

function recording(publish: (message: OutgoingMessage) => Promise<void> = async () => undefined) {
  const messages: OutgoingMessage[] = [];
  const shared: (readonly string[])[] = [];
  const batches = openJobBatches({
    bus: {
      publish: (message) => {
        messages.push(message);
        return publish(message);
      },
    },
    onShared: (runIds) => shared.push(runIds),
  });
  return { messages, shared, batches };
}

const runsOf = ({ type, body }: OutgoingMessage) =>
  (type === JOB_BATCH ? readJobBatch(body)! : [JSON.parse(body.toString()) as unknown]).map(
    (one) => (one as { runId: string }).runId,
  );

test('jobs of requests that arrive in one turn share a message for each pool', async () => {
  const { messages, shared, batches } = recording();
  const jobs = [job('a'), job('b', { pool: 'other' }), job('c', { expirationMilliseconds: 2_000 })];
  // Each request arrives in its own callback of the turn.
  const outcomes = await Promise.all(
    jobs.map(
      (one) =>
        new Promise<string>((resolve, reject) => {
          process.nextTick(() => batches.publish(one).then(() => resolve('published'), reject));
        }),
    ),
  );
  expect(outcomes).toEqual(['published', 'published', 'published']);
  expect(messages.map(runsOf)).toEqual([['a', 'c'], ['b']]);
  expect(messages[0]).toMatchObject({
    exchange: names.runsExchange,
    routingKey: names.routingKey('interactive', 'default'),
    alternativeRoutingKey: names.standbyKey('default'),
    type: JOB_BATCH,
    replyTo: 'replies',
    persistent: false,
    mandatory: true,
    // The last of the deadlines: executors refuse jobs that are late.
    expirationMilliseconds: 2_000,
  });
  expect(messages[0]).not.toHaveProperty('correlationId');
  expect(messages[1]).toBe(jobs[1]);
  expect(shared).toEqual([['a', 'c']]);
});

test('a batch is the list of the jobs, unchanged', async () => {
  const { messages, batches } = recording();
  const jobs = [job('a'), job('b')];
  await Promise.all(jobs.map((one) => batches.publish(one)));
  expect(readJobBatch(messages[0]!.body)).toEqual(
    jobs.map(({ body }) => JSON.parse(body.toString()) as unknown),
  );
});

test('a batch has at most 16 jobs and 128 KiB, and a larger job is alone', async () => {
  const { messages, batches } = recording();
  const runIds = Array.from({ length: 40 }, (_, index) => `run-${index}`);
  await Promise.all(runIds.map((runId) => batches.publish(job(runId))));
  expect(messages.map((message) => runsOf(message).length)).toEqual([16, 16, 8]);
  expect(messages.flatMap(runsOf)).toEqual(runIds);
  messages.splice(0);
  const large = Array.from({ length: 10 }, (_, index) => job(`large-${index}`, { bytes: 16_000 }));
  await Promise.all([...large, job('alone', { bytes: 16_384 })].map((one) => batches.publish(one)));
  expect(messages.map((message) => runsOf(message).length)).toEqual([1, 8, 2]);
});

test('the outcome of a message is that of each of its jobs, and of no other', async () => {
  const { batches } = recording(({ routingKey }) =>
    routingKey.includes('other') ? Promise.reject(new UnroutableError('no queue')) : Promise.resolve(),
  );
  const jobs = [job('a', { pool: 'other' }), job('b', { pool: 'other' }), job('c')];
  const outcomes = await Promise.allSettled(jobs.map((one) => batches.publish(one)));
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
});
