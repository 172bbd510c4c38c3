import { setTimeout as pause } from 'node:timers/promises';
import { until } from '@millrace/service/testing';
import { installForEachTest } from '../testing/install-for-tests';

const given = installForEachTest();

const statusOf = async (runId: string) => (await given.runs.find(given.userId, runId))?.status;

test('waits for an in-flight run, and returns runs that have not started to the queue at once', async () => {
  const executor = await given.startExecutor('worker-1', { settings: { MILLRACE_CONCURRENCY: 1 } });
  const running = await given.accept(given.chat);
  await given.send(running);
  await until(() => given.model.waiting === 1, 'the run did not reach the model');
  const waiting = [await given.accept(given.echo), given.job(given.echo)];
  for (const job of waiting) await given.send(job);
  await pause(50);
  const closed = executor.close({ deadlineMilliseconds: 10_000 });
  await given.startExecutor('worker-2');
  for (const { runId } of waiting) await given.finalReply(runId);
  expect(await statusOf(running.runId)).toBe('running');
  given.model.answer('finished');
  await closed;
  expect(await given.runs.find(given.userId, running.runId)).toMatchObject({
    status: 'succeeded',
    worker: 'worker-1',
  });
});

test('releases a run that cannot finish in time, and the attempt does not count', async () => {
  const executor = await given.startExecutor('worker-1');
  const durable = await given.accept(given.chat, { maximumAttempts: 2 });
  const interactive = given.job(given.chat, { deadline: Date.now() + 20_000 });
  await given.send(durable);
  await given.send(interactive);
  await until(() => given.model.waiting === 2, 'the runs did not reach the model');
  await executor.close({ deadlineMilliseconds: 2_300 });
  expect(await statusOf(durable.runId)).toBe('queued');

  await given.startExecutor('worker-2');
  await until(() => given.model.waiting === 2, 'the runs were not taken over');
  given.model.answer('by another');
  for (const { runId } of [durable, interactive]) {
    const reply = await given.finalReply(runId);
    expect([reply.headers['x-status'], reply.headers['x-attempt']]).toEqual(['succeeded', 2]);
  }
});

test('releases a run whose message was settled early, for the sweeper to publish', async () => {
  const durable = await given.accept(given.chat, { maximumAttempts: 2 });
  const lane = given.names.lane('background', 'default');
  await given.send(durable);
  await redeliver(lane, 3);
  const executor = await given.startExecutor('worker-1');
  await until(() => given.model.waiting === 1, 'the run did not reach the model');
  // Waits for the run, although its delivery is already settled.
  await executor.close({ deadlineMilliseconds: 2_500 });
  expect(await statusOf(durable.runId)).toBe('accepted');
  expect(await given.bus.queueStatus(lane)).toMatchObject({ messages: 0 });

  await given.send(durable);
  await given.startExecutor('worker-2');
  await until(() => given.model.waiting === 1, 'the run was not taken over');
  given.model.answer('by another');
  expect((await given.finalReply(durable.runId)).headers['x-status']).toBe('succeeded');
  expect(await statusOf(durable.runId)).toBe('succeeded');
});

/** Takes the only message of a queue and returns it, so many times. */
async function redeliver(queue: string, times: number): Promise<void> {
  let returns = 0;
  const consumer = await given.bus.consume(queue, { prefetch: 1 }, async () => {
    if (returns === times) return new Promise(() => undefined);
    returns += 1;
    return 'retry';
  });
  await until(() => returns === times, 'the message was not redelivered');
  await consumer.close({ deadlineMilliseconds: 0 });
}

test('stops in time during a database outage, and the attempt that it hands off does not count', async () => {
  const executor = await given.startExecutor('worker-1');
  const job = await given.accept(given.chat, { maximumAttempts: 1 });
  await given.send(job);
  await until(() => given.model.waiting === 1, 'the run did not reach the model');
  given.database.isAway = true;
  given.model.answer('cannot be stored');
  await executor.close({ deadlineMilliseconds: 2_500 });

  given.database.isAway = false;
  await given.startExecutor('worker-2');
  await until(() => given.model.waiting === 1, 'the run was not taken over');
  given.model.answer('by another');
  expect((await given.finalReply(job.runId)).headers['x-status']).toBe('succeeded');
  expect(await statusOf(job.runId)).toBe('succeeded');
});

test('hands off a run whose statement hangs when the process stops, and the attempt does not count', async () => {
  const executor = await given.startExecutor('worker-1');
  const job = await given.accept(given.chat, { maximumAttempts: 1 });
  await given.send(job);
  await until(() => given.model.waiting === 1, 'the run did not reach the model');
  given.database.isStalled = true;
  given.model.answer('cannot be stored');
  const closed = executor.close({ deadlineMilliseconds: 2_500 });
  const lane = given.names.lane('background', 'default');
  const isHandedOff = async () => (await given.bus.queueStatus(lane))?.messages === 1;
  await until(isHandedOff, 'the run was not handed off');
  given.database.isStalled = false;
  await closed;

  await given.startExecutor('worker-2');
  await until(() => given.model.waiting === 1, 'the run was not taken over');
  given.model.answer('by another');
  expect((await given.finalReply(job.runId)).headers['x-status']).toBe('succeeded');
  expect(await statusOf(job.runId)).toBe('succeeded');
});
