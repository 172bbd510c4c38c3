import { DatabaseUnavailableError } from '@millrace/database';
import type { Delivery } from '@millrace/messaging';
import { until } from '@millrace/service/testing';
import { installForEachTest } from '../testing/install-for-tests';
import { observedBus } from '../testing/observed-bus';

const given = installForEachTest();

const find = (runId: string) => given.runs.find(given.userId, runId);
const untilStatus = (runId: string, status: string) =>
  until(async () => (await find(runId))?.status === status, `run ${runId} did not end as ${status}`);

test('a run is claimed after a database outage, and its message is not redelivered during it', async () => {
  const deliveries: Delivery[] = [];
  await given.startExecutor('worker-1', { bus: observedBus(given.bus, deliveries) });
  const job = await given.accept(given.echo);
  given.database.isAway = true;
  await given.send(job);
  // Two refusals: of one delivery that waits, or of two deliveries when the message was returned.
  await until(() => given.database.refusedStatements > 1, 'the claim was not repeated');
  given.database.isAway = false;
  await untilStatus(job.runId, 'succeeded');
  expect(await find(job.runId)).toMatchObject({ attempt: 1 });
  expect(deliveries.filter(({ correlationId }) => correlationId === job.runId)).toHaveLength(1);
});

test('the end of a run that meets an outage is stored after it, once', async () => {
  await given.startExecutor('worker-1');
  const job = await given.accept(given.chat);
  await given.send(job);
  await until(() => given.model.waiting === 1, 'the run did not reach the model');
  given.database.isAway = true;
  given.model.answer('kept');
  await until(() => given.database.refusedStatements > 1, 'the end was not tried again');
  expect(given.finals(job.runId)).toHaveLength(0);
  given.database.isAway = false;
  await untilStatus(job.runId, 'succeeded');
  expect(await find(job.runId)).toMatchObject({ attempt: 1 });
  expect(given.model.requestCount).toBe(1);
});

test('a second delivery while the first one waits for a slot does not execute the run twice', async () => {
  const deliveries: Delivery[] = [];
  const waiting = await given.accept(given.chat, { sessionId: 'waiting' });
  const crash = await given.sendToCrashingExecutor(waiting);
  await given.startExecutor('worker-1', {
    settings: { MILLRACE_CONCURRENCY: 3 },
    bus: observedBus(given.bus, deliveries),
  });
  const running = [await given.accept(given.chat), await given.accept(given.chat)];
  for (const job of running) await given.send(job);
  await until(() => given.model.waiting === 2, 'the first runs did not reach the model');
  await given.send(waiting);
  await crash();
  const ofWaiting = () => deliveries.filter(({ correlationId }) => correlationId === waiting.runId);
  await until(() => ofWaiting().length === 2, 'the message was not delivered again');
  given.model.answer('first', 1);
  await until(() => given.model.requestCount === 3, 'the run that waited did not reach the model');
  given.model.answer('second', 1);
  for (const { runId } of running) await untilStatus(runId, 'succeeded');
  // A slot is free. The run that is sent now gets it after a second execution would have.
  const last = await given.accept(given.echo);
  await given.send(last);
  await untilStatus(last.runId, 'succeeded');
  expect(given.model.requestCount).toBe(3);
  given.model.answer('third');
  await untilStatus(waiting.runId, 'succeeded');
  expect(await find(waiting.runId)).toMatchObject({ attempt: 1 });
});

test('a run past its limit is timed out', async () => {
  await given.startExecutor('worker-1');
  const job = await given.accept(given.chat, { limitMilliseconds: 200 });
  await given.send(job);
  await untilStatus(job.runId, 'timed_out');
  expect((await find(job.runId))?.failure).toMatchObject({ code: 'deadline_exceeded' });
});

test('a queued run and a running one can be cancelled', async () => {
  const queued = await given.accept(given.chat);
  await given.runs.requestCancel(given.userId, queued.runId);
  await given.startExecutor('worker-1');
  await given.send(queued);
  expect((await given.finalReply(queued.runId)).headers['x-status']).toBe('cancelled');
  const running = await given.accept(given.chat);
  await given.send(running);
  await until(() => given.model.waiting === 1, 'the run did not reach the model');
  await given.runs.requestCancel(given.userId, running.runId);
  await given.control({ kind: 'cancel', runId: running.runId, reason: 'test' });
  await untilStatus(running.runId, 'cancelled');
  expect(given.model.requestCount).toBe(1);
});

test('a heartbeat ends an attempt that another one replaced, and a run whose cancellation was not announced', async () => {
  await given.startExecutor('worker-1');
  const limitMilliseconds = 600_000;
  const replaced = await given.accept(given.chat, { limitMilliseconds });
  const cancelled = await given.accept(given.chat, { limitMilliseconds });
  for (const job of [replaced, cancelled]) await given.send(job);
  await until(() => given.model.waiting === 2, 'the runs did not reach the model');
  given.database.isAway = true;
  await until(() => given.logged('could not renew leases').length > 0, 'no heartbeat failed');
  given.database.isAway = false;
  const [failed] = given.logged('could not renew leases');
  expect(failed).toEqual({ error: expect.any(DatabaseUnavailableError), runs: 2 });
  await given.database.query({
    text: `UPDATE runs SET attempt = 2, worker = 'worker-2' WHERE id = $1`,
    values: [replaced.runId],
  });
  await given.runs.requestCancel(given.userId, cancelled.runId);
  await until(() => given.model.waiting === 0, 'the attempts go on');
  await untilStatus(cancelled.runId, 'cancelled');
  expect(await find(replaced.runId)).toMatchObject({ status: 'running', attempt: 2, worker: 'worker-2' });
});

test('a run with no attempt left is dead, and its caller gets an error', async () => {
  const job = await given.accept(given.echo, { maximumAttempts: 1 });
  await given.runs.claim([{ runId: job.runId, worker: 'dead', redelivered: false }]);
  await given.sendAsRedelivery(job);
  await given.startExecutor('worker-1');
  expect((await given.finalReply(job.runId)).headers['x-status']).toBe('dead');
  expect(await find(job.runId)).toMatchObject({ status: 'dead', attempt: 1 });
});

test('an attempt that was taken over from a live executor does not count', async () => {
  const job = await given.accept(given.chat, { maximumAttempts: 2 });
  await given.startExecutor('worker-1');
  await given.send(job);
  await until(() => given.model.waiting === 1, 'the run did not reach the model');
  const claimAs = async (worker: string) => {
    const claims = await given.runs.claim([{ runId: job.runId, worker, redelivered: true }]);
    return claims.get(job.runId);
  };
  expect(await claimAs('heir')).toMatchObject({ outcome: 'claimed', attempt: 2, countedAttempts: 2 });
  given.model.answer('too late');
  const free = async () =>
    (
      await given.database.query({
        text: 'SELECT free_attempts AS free FROM runs WHERE id = $1',
        values: [job.runId],
      })
    ).rows[0];
  await until(async () => (await free())?.['free'] === 1, 'the attempt counts');
  expect(await claimAs('third')).toMatchObject({ outcome: 'claimed', attempt: 3, countedAttempts: 2 });
});

test('a run that has ended is answered with the stored text, byte for byte', async () => {
  const job = await given.accept(given.echo);
  const [claim] = (
    await given.runs.claim([{ runId: job.runId, worker: 'other', redelivered: false }])
  ).values();
  const result = '{"session_id" :  "spaced",\n"outputs":[]}';
  await given.runs.complete([
    {
      runId: job.runId,
      attempt: claim?.outcome === 'claimed' ? claim.attempt : 0,
      status: 'succeeded',
      result,
      failure: null,
      messages: [],
    },
  ]);
  await given.startExecutor('worker-1');
  await given.send(job);
  expect((await given.finalReply(job.runId)).body.toString()).toBe(result);
});

test('the last attempt waits until it is alone, and released attempts do not count towards the last', async () => {
  const last = await given.accept(given.chat, { maximumAttempts: 2 });
  await given.runs.claim([{ runId: last.runId, worker: 'dead', redelivered: false }]);
  const crash = await given.sendToCrashingExecutor(last);
  await given.startExecutor('worker-1');
  const neighbour = await given.accept(given.chat);
  await given.send(neighbour);
  await until(() => given.model.waiting === 1, 'the neighbour did not reach the model');

  const givenBack = await given.accept(given.chat, { maximumAttempts: 2 });
  await given.runs.claim([{ runId: givenBack.runId, worker: 'drained', redelivered: false }]);
  await given.runs.release([{ runId: givenBack.runId, attempt: 1 }]);
  await given.send(givenBack);
  await until(() => given.model.waiting === 2, 'a run that was released did not run next to others');

  await crash();
  await until(async () => (await find(last.runId))?.attempt === 2, 'the last attempt was not claimed');
  given.model.answer('done', 1);
  await untilStatus(neighbour.runId, 'succeeded');
  expect(given.model.requestCount).toBe(2);
  given.model.answer('done');
  await until(() => given.model.requestCount === 3, 'the last attempt did not start');
  await untilStatus(givenBack.runId, 'succeeded');
  given.model.answer('done alone');
  await untilStatus(last.runId, 'succeeded');
});

test('background runs that wait for a model do not delay interactive runs', async () => {
  await given.startExecutor('worker-1', { settings: { MILLRACE_CONCURRENCY: 4 } });
  const warm = given.job(given.echo);
  await given.send(warm);
  await given.recorded(warm.runId);
  const backlog = await Promise.all(Array.from({ length: 20 }, () => given.accept(given.chat)));
  for (const job of backlog) await given.send(job);
  await until(() => given.model.waiting === 3, 'the backlog did not reach the model');
  for (let turn = 0; turn < 5; turn += 1) {
    const job = given.job(given.echo);
    await given.send(job);
    expect((await given.finalReply(job.runId)).headers['x-status']).toBe('succeeded');
  }
  expect(given.model.requestCount).toBe(3);
});
