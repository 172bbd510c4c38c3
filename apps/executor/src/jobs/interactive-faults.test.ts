import { setTimeout as pause } from 'node:timers/promises';
import { until } from '@millrace/service/testing';
import { flowData, node } from '@millrace/testing';
import { installForEachTest } from '../testing/install-for-tests';

const given = installForEachTest();

const readingFlow = flowData(
  [
    node('ChatInput-i', { input_value: '', session_id: '' }, 'message'),
    node('ChatOutput-o', { input_value: '', session_id: '' }, 'message'),
    node('Memory-m', { n_messages: 10, session_id: '' }, 'messages_text'),
  ],
  ['ChatInput-i.message > ChatOutput-o.input_value'],
);

const answerOf = async (runId: string) => {
  const { headers, body } = await given.finalReply(runId);
  return { status: headers['x-status'], body: JSON.parse(body.toString()) as Record<string, unknown> };
};

test('a run whose plan cannot be read during a database outage is answered with an error, and not retried', async () => {
  await given.startExecutor('worker-1');
  given.database.isAway = true;
  const job = given.job(given.echo);
  await given.send(job);
  expect(await answerOf(job.runId)).toMatchObject({
    status: 'failed',
    body: { code: 'database_unavailable' },
  });
  given.database.isAway = false;
  await given.recorded(job.runId);
  expect(given.finals(job.runId)).toHaveLength(1);
});

test('the caller gets the answer even if the key-value store refuses the messages', async () => {
  await given.startExecutor('worker-1');
  const reader = await given.flows.create(given.userId, { name: 'refused', document: readingFlow });
  const first = given.job(reader);
  await given.send(first);
  await given.finalReply(first.runId);
  // A text in place of the lists of both flows, so that the store refuses to append to them.
  const [list = ''] = await given.keyValue.keys('session:', 1);
  for (const { id } of [reader, given.echo]) await given.keyValue.set(list.replace(reader.id, id), 'no list');
  for (const flow of [reader, given.echo]) {
    const job = given.job(flow);
    await given.send(job);
    expect(await answerOf(job.runId)).toMatchObject({ status: 'succeeded' });
    expect(given.finals(job.runId)).toHaveLength(1);
    await given.recorded(job.runId);
  }
  const error = expect.any(Error);
  const shown = given.logged('could not add messages to the hot copy; the answer waits for their record');
  expect(shown).toEqual([{ error, flowId: reader.id }]);
  const followed = () => given.logged('could not add messages to the hot copy');
  await until(() => followed().length > 0, 'the messages of the other flow were added');
  expect(followed()).toEqual([{ error, flowId: given.echo.id }]);
});

test('records wait for the end of a database outage, and block neither answers nor slots', async () => {
  await given.startExecutor('worker-1', { settings: { MILLRACE_CONCURRENCY: 1 } });
  const warm = given.job(given.echo);
  await given.send(warm);
  await given.recorded(warm.runId);
  given.database.isAway = true;
  const jobs = Array.from({ length: 5 }, () => given.job(given.echo));
  for (const job of jobs) await given.send(job);
  for (const job of jobs) expect(await answerOf(job.runId)).toMatchObject({ status: 'succeeded' });
  given.database.isAway = false;
  for (const job of jobs) await given.recorded(job.runId);
});

test('a commit that takes long delays none of the runs that are taken ahead', async () => {
  await given.startExecutor('worker-1', { settings: { MILLRACE_CONCURRENCY: 1 }, prefetchAhead: 300 });
  const warm = given.job(given.echo);
  await given.send(warm);
  await given.recorded(warm.runId);
  given.database.isStalled = true;
  const jobs = Array.from({ length: 200 }, () => given.job(given.echo));
  for (const job of jobs) await given.send(job);
  for (const job of jobs) expect(await answerOf(job.runId)).toMatchObject({ status: 'succeeded' });
  given.database.isStalled = false;
  for (const job of jobs) await given.recorded(job.runId);
});

test('when both stores are unavailable, the answer of a flow that reads its session waits for the commit', async () => {
  await given.startExecutor('worker-1');
  const reader = await given.flows.create(given.userId, { name: 'reader', document: readingFlow });
  for (const flow of [given.echo, reader]) {
    const warm = given.job(flow);
    await given.send(warm);
    await given.recorded(warm.runId);
  }
  given.database.isAway = true;
  given.keyValue.isAway = true;
  const waiting = given.job(reader);
  await given.send(waiting);
  const other = given.job(given.echo);
  await given.send(other);
  expect(await answerOf(other.runId)).toMatchObject({ status: 'succeeded' });
  await pause(300);
  expect(given.finals(waiting.runId)).toHaveLength(0);
  given.database.isAway = false;
  await given.finalReply(waiting.runId);
  expect(await given.runs.find(given.userId, waiting.runId)).toMatchObject({ status: 'succeeded' });
  await given.recorded(other.runId);
});

test('a redelivery of a run that has ended gets the stored result', async () => {
  const job = given.job(given.echo);
  const executor = await given.startExecutor('worker-1');
  await given.send(job);
  await given.recorded(job.runId);
  const first = (await given.finalReply(job.runId)).body;
  await executor.close({ deadlineMilliseconds: 3_000 });
  await given.sendAsRedelivery(job);
  await given.startExecutor('worker-2');
  await until(() => given.finals(job.runId).length === 2, 'the stored result was not sent');
  const again = given.finals(job.runId)[1];
  expect(again?.body.equals(first)).toBe(true);
  // The gateway accepts it regardless of the frames of that attempt that it has received.
  expect(again?.headers['x-attempt']).toBe(1);
  expect(Number(again?.headers['x-sequence'])).toBeGreaterThan(1_000);
});

test('a run that is redelivered during a database outage is answered in time', async () => {
  const job = given.job(given.echo, { deadline: Date.now() + 1_500 });
  await given.sendAsRedelivery(job);
  given.database.isAway = true;
  await given.startExecutor('worker-1');
  expect(await answerOf(job.runId)).toMatchObject({ body: { code: 'database_unavailable' } });
});

test('a run that crashed its executor on every attempt is dead, and its caller gets an error', async () => {
  const job = given.job(given.echo);
  for (let attempt = 2; attempt <= 3; attempt += 1) {
    await given.runs.beginRedelivered({
      id: job.runId,
      flowId: job.flowId,
      flowVersion: job.flowVersion,
      userId: job.userId,
      lane: 'interactive',
      pool: 'default',
      origin: 'run',
      request: given.request('hello'),
      sessionId: 'session',
      limitMilliseconds: 10_000,
      maximumAttempts: 3,
      worker: `dead-${attempt}`,
    });
  }
  await given.sendAsRedelivery(job);
  await given.startExecutor('worker-1');
  expect(await answerOf(job.runId)).toMatchObject({ status: 'dead', body: { code: 'attempts_exhausted' } });
});

test('a run that is cancelled before it starts is answered and recorded as cancelled', async () => {
  await given.startExecutor('worker-1', { settings: { MILLRACE_CONCURRENCY: 1 } });
  const running = given.job(given.chat);
  const waiting = given.job(given.chat);
  const cancelledEarly = given.job(given.chat);
  await given.send(running);
  await until(() => given.model.waiting === 1, 'the first run did not reach the model');
  await given.control({ kind: 'cancel', runId: cancelledEarly.runId, reason: 'test' });
  await given.send(waiting);
  await given.send(cancelledEarly);
  await pause(50);
  await given.control({ kind: 'cancel', runId: waiting.runId, reason: 'test' });
  for (const { runId } of [waiting, cancelledEarly]) {
    expect(await answerOf(runId)).toMatchObject({ status: 'cancelled', body: { code: 'cancelled' } });
    await given.recorded(runId);
    expect(await given.runs.find(given.userId, runId)).toMatchObject({ status: 'cancelled' });
  }
  expect(given.model.requestCount).toBe(1);
  await given.control({ kind: 'cancel', runId: running.runId, reason: 'test' });
  expect(await answerOf(running.runId)).toMatchObject({ status: 'cancelled' });
});

test('invalid control messages are ignored', async () => {
  await given.startExecutor('worker-1');
  for (const message of ['', 'no JSON', 'null', '[]', '{"kind":"cancel"}', '{"kind":"i-run","runId":7}'])
    await given.control(message);
  const job = given.job(given.echo);
  await given.send(job);
  expect(await answerOf(job.runId)).toMatchObject({ status: 'succeeded' });
});

test('an attempt that was superseded by another one leaves no messages', async () => {
  await given.startExecutor('worker-1');
  const job = given.job(given.chat, { request: given.request('hello', { sessionId: 'overtaken' }) });
  await given.send(job);
  await until(() => given.model.waiting === 1, 'the run did not reach the model');
  // Another executor took the run over and ended it, because this process was frozen.
  const run = {
    id: job.runId,
    flowId: job.flowId,
    flowVersion: job.flowVersion,
    userId: job.userId,
    lane: 'interactive' as const,
    pool: 'default',
    origin: 'run' as const,
    request: given.request('hello'),
    sessionId: 'overtaken',
    limitMilliseconds: 10_000,
    maximumAttempts: 3,
    worker: 'another',
  };
  await given.runs.beginRedelivered(run);
  given.model.answer('too late');
  await given.finalReply(job.runId);
  await until(
    async () => (await given.keyValue.keys('', 100)).every((key) => !key.includes('overtaken')),
    'the messages of a superseded attempt stayed',
  );
  expect(await given.messages.list({ userId: given.userId, sessionId: 'overtaken' })).toEqual([]);
});

test('an answer that exceeds the message size is reported to its caller as an error', async () => {
  // Six bytes of JSON for each character; the request of the job is behind a payload reference.
  const request = given.request('\u0001'.repeat(1_000_000));
  await given.keyValue.set('large', JSON.stringify(request));
  const job = given.job(given.echo, { request: null, claimCheck: 'large' });
  await given.startExecutor('worker-1', { limits: { outputBytes: 33_554_432 } });
  await given.send(job);
  expect(await answerOf(job.runId)).toMatchObject({
    status: 'failed',
    body: {
      code: 'output_too_large',
      message: expect.stringMatching(/^The response is larger than \d+ bytes\.$/),
    },
  });
});
