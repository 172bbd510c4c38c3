import { brokerNames, JOB_BATCH, readJobBatch } from '@millrace/messages';
import type { OutgoingMessage } from '@millrace/messaging';
import { FairQueue } from './fair-queue';
import { JobPublisher } from './job-publisher';
import { PendingRun } from './pending-run';

const names = brokerNames();
/** What the executors of the pool take at once. */
const TAKEN_JOBS = 4;

beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] }));
afterEach(() => jest.useRealTimers());

/** A pool whose executors read batches, unless `takenJobs` is 0, with the jobs of a gateway. */
function openPool({ takenJobs = TAKEN_JOBS } = {}) {
  const messages: OutgoingMessage[] = [];
  const fairQueue = new FairQueue({ announced: { slots: () => 2 }, maximumSent: () => 100 });
  const publisher = new JobPublisher({
    bus: { publish: async (message) => void messages.push(message) },
    names,
    announced: { batchedJobs: () => takenJobs },
    fairQueue,
    pendingRuns: { find: () => null },
    processes: 1,
    batchesMessages: true,
  });
  let count = 0;
  /** Sends jobs in one turn of the event loop; resolves to their runs once they are published. */
  const send = async (jobs: number): Promise<PendingRun[]> => {
    const published: Promise<void>[] = [];
    const runs = Array.from({ length: jobs }, () => {
      const run = pendingRun(`run-${(count += 1)}`);
      fairQueue.enter(run, () => void published.push(publisher.publish(orderOf(run))));
      return run;
    });
    await Promise.all(published);
    return runs;
  };
  return { fairQueue, send, sizes: () => messages.splice(0).map(sizeOf) };
}

function pendingRun(runId: string): PendingRun {
  const ids = { runId, userId: 'user', flowId: 'flow', sessionId: 'session', requestId: null };
  const deadline = Date.now() + 60_000;
  const options = { pool: 'default', needsPython: false, deadline, durable: false, onEvents: null };
  return new PendingRun({ ...ids, project: { id: 'project', weight: 1 }, ...options });
}

function orderOf({ options: { runId, pool, userId, flowId, deadline } }: PendingRun) {
  const job = {
    runId,
    lane: 'interactive' as const,
    pool,
    flowId,
    flowVersion: 1,
    userId,
    durable: false,
    deadline,
    acceptedAt: Date.now(),
    claimCheck: null,
  };
  return { job, requestText: '{}', replyTo: 'replies', needsPython: false };
}

function sizeOf({ type, body }: OutgoingMessage): number {
  return type === JOB_BATCH ? (readJobBatch(body)?.length ?? 0) : 1;
}

test('jobs share a message while the executors of the pool take more', async () => {
  const { send, sizes } = openPool();
  await send(3);
  expect(sizes()).toEqual([3]);
});

test('each job has a message of its own while the executors have as many as they take', async () => {
  const { send, sizes } = openPool();
  await send(TAKEN_JOBS);
  sizes();
  await send(3);
  expect(sizes()).toEqual([1, 1, 1]);
});

test('jobs share a message although the executors have as many as they take while runs are short', async () => {
  const { fairQueue, send, sizes } = openPool();
  const [first, second] = await send(TAKEN_JOBS + 2);
  sizes();
  jest.advanceTimersByTime(100);
  first!.isCurrent(1);
  fairQueue.leave(first!);
  await send(3);
  expect(sizes()).toEqual([3]);
  // No run has ended since: the jobs before them can take long.
  jest.advanceTimersByTime(200);
  await send(3);
  expect(sizes()).toEqual([1, 1, 1]);
  // A run that took long has ended.
  second!.isCurrent(1);
  fairQueue.leave(second!);
  await send(3);
  expect(sizes()).toEqual([1, 1, 1]);
});

test('a run that ends without an answer of an executor does not count as short', async () => {
  const { fairQueue, send, sizes } = openPool();
  const [first] = await send(TAKEN_JOBS);
  sizes();
  fairQueue.leave(first!);
  await send(3);
  expect(sizes()).toEqual([1, 1, 1]);
});

test('no jobs share a message while an executor of the pool reads one job a message', async () => {
  const { fairQueue, send, sizes } = openPool({ takenJobs: 0 });
  const [first] = await send(3);
  fairQueue.leave(first!);
  await send(3);
  expect(sizes()).toEqual([1, 1, 1, 1, 1, 1]);
});
