import { setTimeout as pause } from 'node:timers/promises';
import { JOB_BATCH, writeJobBatch } from '@millrace/messages';
import type { Job } from '@millrace/messages';
import type { RunRequest } from '@millrace/flow';
import { propertyCases, testSeed, until } from '@millrace/service/testing';
import fc from 'fast-check';
import { installForEachTest } from '../testing/install-for-tests';

/** Batches that are compared with single jobs, and how many of them are sent at once. */
const CASES = propertyCases(10_000);
const AT_ONCE = 100;

interface TestRun {
  readonly text: string;
  readonly session: string;
  readonly isFailing: boolean;
}

const batch: fc.Arbitrary<TestRun[]> = fc.array(
  fc.record({
    text: fc.string({ unit: 'binary', maxLength: 12 }),
    session: fc.constantFrom('one', 'two'),
    isFailing: fc.boolean(),
  }),
  { minLength: 1, maxLength: 3 },
);

const given = installForEachTest();

/** Sends jobs in one message to the interactive lane, as a gateway does. */
function sendBatch(jobs: readonly unknown[]): Promise<void> {
  const { bus, names } = given;
  return bus.publish({
    exchange: names.runsExchange,
    routingKey: names.routingKey('interactive', 'default'),
    body: writeJobBatch(jobs.map((job) => Buffer.from(JSON.stringify(job)))),
    persistent: false,
    mandatory: true,
    replyTo: names.reply('test'),
    type: JOB_BATCH,
  });
}

const jobsOf = (runs: readonly TestRun[], sessions: number) =>
  runs.map(({ text, session, isFailing }) =>
    given.job(given.echo, {
      deadline: Date.now() + 60_000,
      request: given.request(text, {
        sessionId: `${session}-${sessions}`,
        ...(isFailing ? { outputs: { by: 'component' as const, component: 'missing' } } : {}),
      }),
    }),
  );

const statusesOf = (jobs: readonly Job[]) =>
  Promise.all(jobs.map(async ({ runId }) => (await given.finalReply(runId)).headers['x-status']));

const queued = async () =>
  (await given.bus.queueStatus(given.names.lane('interactive', 'default')))?.messages;

const IDS_AND_TIMES =
  /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?: UTC|Z|\+00:00)?/g;

/** Returns the answers and the records of runs, without ids and times. */
async function outcomesOf(jobs: readonly Job[]): Promise<string[]> {
  const ids = jobs.map(({ runId }) => runId);
  const missing = new Set(ids);
  let read = 0;
  await until(() => {
    for (; read < given.replies.length; read += 1) {
      const { type, body } = given.replies[read]!;
      if (type === 'recorded') for (const id of JSON.parse(body.toString()) as string[]) missing.delete(id);
    }
    return missing.size === 0;
  }, 'runs were not recorded');
  const { rows } = await given.database.query<{ readonly id: string }>({
    text: `SELECT id, status, attempt, lane, pool, origin, whole_text(request, id, flow_id, session_id) AS request,
             session_id, whole_text(result, id, flow_id, session_id) AS result, failure
             FROM runs WHERE id = ANY($1)`,
    values: [ids],
  });
  const records = new Map(rows.map((row) => [row.id, row]));
  // By session, which has an index.
  const sessions = jobs.map(({ request }) => (request as RunRequest).sessionId);
  const stored = await given.database.query<{ readonly runId: string }>({
    text: `SELECT run_id AS "runId", sender, error, whole_text(body, run_id, flow_id, NULL) AS body FROM messages
            WHERE flow_id = $1 AND session_id = ANY($2) ORDER BY sender`,
    values: [given.echo.id, [...new Set(sessions)]],
  });
  const messages = new Map<string, object[]>();
  for (const row of stored.rows) messages.set(row.runId, [...(messages.get(row.runId) ?? []), row]);
  const answers = new Map<string | undefined, object[]>();
  for (const { type, correlationId, headers, body } of given.replies) {
    if (type !== 'final') continue;
    const { 'x-status': status, 'x-attempt': attempt } = headers;
    answers.set(correlationId, [
      ...(answers.get(correlationId) ?? []),
      { status, attempt, body: body.toString() },
    ]);
  }
  return ids.map((id) =>
    JSON.stringify([answers.get(id), records.get(id), messages.get(id)]).replace(IDS_AND_TIMES, '#'),
  );
}

test('runs of a batch have the answers and records of runs with a message each', async () => {
  await given.startExecutor('worker-1', { settings: { MILLRACE_CONCURRENCY: 16 }, prefetchAhead: 64 });
  const seed = testSeed();
  const cases = fc.sample(batch, { numRuns: CASES, seed });
  for (let start = 0; start < CASES; start += AT_ONCE) {
    const batches = cases.slice(start, start + AT_ONCE);
    const alone = batches.flatMap((runs) => jobsOf(runs, start));
    const together = batches.map((runs) => jobsOf(runs, start));
    await Promise.all([...alone.map((job) => given.send(job)), ...together.map((jobs) => sendBatch(jobs))]);
    const [expected, actual] = [await outcomesOf(alone), await outcomesOf(together.flat())];
    expect({ seed, start, outcomes: actual }).toEqual({ seed, start, outcomes: expected });
    expect(actual.some((outcome) => outcome.includes('"sender":"User"'))).toBe(true);
    given.replies.splice(0);
  }
}, 300_000);

test('a job that was not started when its executor stops leaves its batch', async () => {
  const first = await given.startExecutor('worker-1', { settings: { MILLRACE_CONCURRENCY: 1 } });
  const [running, waiting] = [given.job(given.chat), given.job(given.echo)];
  await sendBatch([running, waiting]);
  await until(() => given.model.waiting === 1, 'the run did not reach the model');
  const closed = first.close({ deadlineMilliseconds: 8_000 });
  await until(async () => (await queued()) === 1, 'the waiting job did not return to its queue');
  await given.startExecutor('worker-2');
  expect(await statusesOf([waiting])).toEqual(['succeeded']);
  expect(given.finals(running.runId)).toEqual([]);
  given.model.answer('finished');
  await closed;
  expect(await statusesOf([running])).toEqual(['succeeded']);
  expect(given.model.requestCount).toBe(1);
});

test('a job that leaves its batch keeps its time when the clock of its gateway is behind', async () => {
  const first = await given.startExecutor('worker-1', { settings: { MILLRACE_CONCURRENCY: 1 } });
  const acceptedAt = Date.now() - 600_000;
  const times = { acceptedAt, deadline: acceptedAt + 30_000, databaseDeadline: Date.now() + 30_000 };
  const [running, waiting] = [given.job(given.chat, times), given.job(given.echo, times)];
  await sendBatch([running, waiting]);
  await until(() => given.model.waiting === 1, 'the run did not reach the model');
  const closed = first.close({ deadlineMilliseconds: 8_000 });
  await until(async () => (await queued()) === 1, 'the waiting job did not return to its queue');
  // Longer than an expiry that was computed from the clock of the gateway.
  await pause(100);
  await given.startExecutor('worker-2');
  expect(await statusesOf([waiting])).toEqual(['succeeded']);
  given.model.answer('finished');
  await closed;
});

test('a redelivered batch repeats the runs that have not ended, and answers the others from their records', async () => {
  const [finished, open] = [given.job(given.chat), given.job(given.echo)];
  const crash = await holdNextDelivery();
  await sendBatch([finished, open]);
  await crash.taken;
  const holder = await given.startExecutor('worker-1');
  await given.send(finished);
  await until(() => given.model.waiting === 1, 'the run did not reach the model');
  given.model.answer('once');
  await given.recorded(finished.runId);
  await holder.close({ deadlineMilliseconds: 3_000 });
  await crash.now();
  await given.startExecutor('worker-2');
  expect(await statusesOf([open])).toEqual(['succeeded']);
  await until(() => given.finals(finished.runId).length === 2, 'the ended run was not answered again');
  const [answer, again] = given.finals(finished.runId);
  expect(again?.body.toString()).toBe(answer?.body.toString());
  expect(given.model.requestCount).toBe(1);
  expect(await given.runs.find(given.userId, open.runId)).toMatchObject({ attempt: 2 });
});

test('a job that cannot be read does not affect the others of its batch', async () => {
  await given.startExecutor('worker-1');
  const job = given.job(given.echo);
  const unreadable = { ...given.job(given.echo), flowId: 'none' };
  await sendBatch([unreadable, job]);
  expect(await statusesOf([job, unreadable as Job])).toEqual(['succeeded', 'failed']);
});

test('a message that is no batch is discarded, and later ones are handled', async () => {
  await given.startExecutor('worker-1');
  const { bus, names } = given;
  for (const body of ['{}', 'no JSON', ''])
    await bus.publish({
      exchange: '',
      routingKey: names.lane('interactive', 'default'),
      persistent: false,
      mandatory: true,
      type: JOB_BATCH,
      body: Buffer.from(body),
    });
  await sendBatch([]);
  const job = given.job(given.echo);
  await sendBatch([job]);
  expect(await statusesOf([job])).toEqual(['succeeded']);
  await until(async () => (await queued()) === 0, 'a message stayed in the queue');
});

/** Takes the next delivery of the interactive lane, like an executor that crashes when `now` is called. */
async function holdNextDelivery() {
  let onTaken: () => void = () => undefined;
  const taken = new Promise<void>((resolve) => {
    onTaken = resolve;
  });
  const lane = given.names.lane('interactive', 'default');
  const consumer = await given.bus.consume(lane, { prefetch: 1 }, () => {
    onTaken();
    return new Promise(() => undefined);
  });
  // The next messages go to other consumers: this one has as many as it may.
  return { taken, now: () => consumer.close({ deadlineMilliseconds: 0 }) };
}
