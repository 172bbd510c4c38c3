import { setTimeout as sleep } from 'node:timers/promises';
import { controlTopology } from '@millrace/messages';
import type { ControlMessage } from '@millrace/messages';
import { until } from '@millrace/service/testing';
import { installForEachTest } from '../testing/install-for-tests';

/** Longer than the silence that an earlier version treated as a crash. */
const OBSERVATION_MILLISECONDS = 1_000;

const given = installForEachTest();

/** Declares the control queue of another executor, which exists as long as its connection. */
const connectHolder = () => given.bus.provision(controlTopology(given.names, 'holder'));

/** Answers pings as a live holder does. */
const answerAsHolder = (connectedMilliseconds = 60_000) =>
  given.bus.consume(given.names.control('holder'), { prefetch: 10, noAck: true }, async ({ body }) => {
    const message = JSON.parse(body.toString()) as ControlMessage;
    if (message.kind !== 'are-you-there') return 'done';
    const { asker, pool, ping } = message;
    const answer = { kind: 'i-am-here', worker: 'holder', pool, ping, connectedMilliseconds };
    await given.bus.publish({
      exchange: '',
      routingKey: given.names.control(asker),
      body: Buffer.from(JSON.stringify(answer)),
      persistent: false,
      mandatory: false,
    });
    return 'done';
  });

const reportHolderState = (state: object) =>
  given.keyValue.set('worker:holder', JSON.stringify({ worker: 'holder', answers: true, ...state }));

/** A run that the holder has claimed and whose message was redelivered. */
async function redelivered(): Promise<string> {
  const job = await given.accept(given.echo);
  await given.runs.claim([{ runId: job.runId, worker: 'holder', redelivered: false }]);
  await given.sendAsRedelivery(job);
  return job.runId;
}

const attemptOf = async (runId: string) => (await given.runs.find(given.userId, runId))?.attempt;
const pause = () => new Promise((resolve) => setTimeout(resolve, OBSERVATION_MILLISECONDS));

test.each([
  ['is connected but does not answer', async () => connectHolder(), { isAway: false }],
  ['has lost its connection but reports that it is alive', async () => undefined, { isAway: true }],
])('a run stays with the executor that holds it and %s', async (_what, connect, state) => {
  await connect();
  await reportHolderState(state);
  const runId = await redelivered();
  await given.startExecutor('worker-1');
  await pause();
  expect(await given.runs.find(given.userId, runId)).toMatchObject({ status: 'running', attempt: 1 });
});

test('a run of an executor that has crashed is taken over', async () => {
  await reportHolderState({ isAway: false });
  const runId = await redelivered();
  await given.startExecutor('worker-1');
  await until(async () => (await attemptOf(runId)) === 2, 'the run was not taken over');
});

test('a run is taken over from a live executor that has received the question', async () => {
  await connectHolder();
  await answerAsHolder();
  const runId = await redelivered();
  await given.startExecutor('worker-1');
  await until(async () => (await attemptOf(runId)) === 2, 'the run was not taken over');
});

test('an executor that may have missed the question is asked again', async () => {
  await connectHolder();
  const answering = await answerAsHolder(0);
  const runId = await redelivered();
  await given.startExecutor('worker-1');
  await pause();
  expect(await attemptOf(runId)).toBe(1);
  await answering.close();
});

test('a run is taken over from an executor of the previous version, which does not answer pings', async () => {
  await connectHolder();
  await reportHolderState({ answers: undefined });
  const runId = await redelivered();
  await given.startExecutor('worker-1');
  await until(async () => (await attemptOf(runId)) === 2, 'the run was not taken over');
});

test('a run without a row is restarted only after every executor has answered', async () => {
  await connectHolder();
  const job = given.job(given.echo, { deadline: Date.now() + 30_000 });
  const crash = await given.sendToCrashingExecutor(job);
  await given.startExecutor('worker-1');
  await given.control({ kind: 'are-you-there', asker: 'holder', pool: 'default', ping: 0 });
  const other = given.job(given.echo);
  await given.send(other);
  await given.finalReply(other.runId);
  await crash();
  await pause();
  expect(given.finals(job.runId)).toHaveLength(0);
  await answerAsHolder();
  expect((await given.finalReply(job.runId)).headers['x-status']).toBe('succeeded');
});

test('a run without a row stays with an executor that is not known and answers late', async () => {
  await connectHolder();
  let answered = 0;
  await given.bus.consume(given.names.control('holder'), { prefetch: 10, noAck: true }, async ({ body }) => {
    const message = JSON.parse(body.toString()) as ControlMessage;
    if (message.kind !== 'who-runs') return 'done';
    await sleep(100);
    const { runId, asker } = message;
    await given.control({ kind: 'i-run', runId, attempt: 1, worker: 'holder', asker });
    answered += 1;
    return 'done';
  });
  const job = given.job(given.echo, { deadline: Date.now() + 30_000 });
  const crash = await given.sendToCrashingExecutor(job);
  await given.startExecutor('worker-1');
  await crash();
  await until(() => answered > 0, 'the question was not answered');
  await pause();
  expect(given.finals(job.runId)).toHaveLength(0);
});

test('a run without a row waits for a disconnected executor also while its state cannot be read', async () => {
  await reportHolderState({ isAway: true });
  const job = given.job(given.echo, { deadline: Date.now() + 30_000 });
  const crash = await given.sendToCrashingExecutor(job);
  await given.startExecutor('worker-1');
  await given.control({ kind: 'are-you-there', asker: 'holder', pool: 'default', ping: 0 });
  await crash();
  await pause();
  await given.keyValue.set('worker:holder', 'unreadable');
  // Longer than the wait for an executor of which nothing is known.
  for (let count = 0; count < 3; count += 1) await pause();
  expect(given.finals(job.runId)).toHaveLength(0);
  await connectHolder();
  await answerAsHolder();
  expect((await given.finalReply(job.runId)).headers['x-status']).toBe('succeeded');
});

test('a run without a row is restarted only once an executor that reconnects has got the question', async () => {
  await connectHolder();
  const reconnecting = await answerAsHolder(0);
  const job = given.job(given.echo, { deadline: Date.now() + 30_000 });
  const crash = await given.sendToCrashingExecutor(job);
  await given.startExecutor('worker-1');
  await given.control({ kind: 'are-you-there', asker: 'holder', pool: 'default', ping: 0 });
  await crash();
  // Longer than the wait for an executor of which nothing is known.
  for (let count = 0; count < 3; count += 1) await pause();
  expect(given.finals(job.runId)).toHaveLength(0);
  await reconnecting.close();
  await answerAsHolder();
  expect((await given.finalReply(job.runId)).headers['x-status']).toBe('succeeded');
});

test('a run without a row stays with the executor that has answered it, until its record is stored', async () => {
  await given.startExecutor('worker-1');
  const warm = given.job(given.echo);
  await given.send(warm);
  await given.recorded(warm.runId);
  await connectHolder();
  const claimed = new Set<string>();
  await given.bus.consume(given.names.control('holder'), { prefetch: 10, noAck: true }, ({ body }) => {
    const message = JSON.parse(body.toString()) as ControlMessage;
    if (message.kind === 'i-run') claimed.add(message.runId);
    return Promise.resolve('done');
  });
  given.database.isStalled = true;
  const job = given.job(given.echo);
  await given.send(job);
  await given.finalReply(job.runId);
  // Longer than the delivery waits for the record.
  for (let count = 0; count < 3; count += 1) await pause();
  await given.control({ kind: 'who-runs', runId: job.runId, attempt: 0, asker: 'holder' });
  await until(() => claimed.has(job.runId), 'the executor does not have the run any more');
  given.database.isStalled = false;
  await given.recorded(job.runId);
});
