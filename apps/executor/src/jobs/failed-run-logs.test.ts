import type { Job } from '@millrace/messages';
import type { Database } from '@millrace/database';
import { createLogger } from '@millrace/service';
import type { Logger } from '@millrace/service';
import { until } from '@millrace/service/testing';
import type { Executor } from '../executor';
import { openTestDatabase, openTestInstallation } from '../testing/test-installation';
import type { TestInstallation } from '../testing/test-installation';

interface Line {
  readonly level: string;
  readonly msg: string;
  readonly runId?: string;
  readonly error?: { readonly stack?: string };
}

let database: Database;
let given: TestInstallation;
let lines: Line[];
let logger: Logger;
let executor: Executor;

beforeAll(async () => {
  database = await openTestDatabase();
}, 60_000);
afterAll(() => database.close());
beforeEach(async () => {
  lines = [];
  given = await openTestInstallation(database);
  const destination = { write: (line: string) => void lines.push(JSON.parse(line) as Line) };
  logger = createLogger({ name: 'executor-test', level: 'info', destination });
  executor = await given.startExecutor('worker-1', { logger });
});
afterEach(() => given.close());

const linesOf = ({ runId }: Job) =>
  lines.filter((line) => line.runId === runId && line.msg.startsWith('run '));
const logged = (job: Job) => until(() => linesOf(job).length > 0, `run ${job.runId} has no log line`);
const untilStatus = ({ runId }: Job, status: string) =>
  until(
    async () => (await given.runs.find(given.userId, runId))?.status === status,
    `run ${runId} is not ${status}`,
  );
const vertex = {
  id: 'LanguageModelComponent-chat3',
  displayName: 'Language Model',
  type: 'LanguageModelComponent',
};

/** Sends the job and waits until its run has reached the model. */
async function reachModel(job: Job): Promise<void> {
  await given.send(job);
  await until(() => given.model.waiting === 1, 'the run did not reach the model');
}

test('a run that succeeds has its begin and its end at the level debug, with the id of its request', async () => {
  await executor.close({ deadlineMilliseconds: 5_000 });
  const destination = { write: (line: string) => void lines.push(JSON.parse(line) as Line) };
  const talkative = createLogger({ name: 'executor-test', level: 'debug', destination });
  executor = await given.startExecutor('worker-2', { logger: talkative });
  for (const job of [
    given.job(given.echo, { requestId: 'request-9' }),
    await given.accept(given.echo, { requestId: 'request-9' }),
  ]) {
    await given.send(job);
    await until(() => linesOf(job).length === 2, 'lines are missing');
    expect(linesOf(job)).toMatchObject([
      { level: 'debug', msg: 'run begins', requestId: 'request-9', attempt: 1 },
      { level: 'debug', msg: 'run succeeded', requestId: 'request-9', attempt: 1, status: 'succeeded' },
    ]);
  }
});

test.each([
  ['without a row', async () => given.job(given.chat, { requestId: 'request-1' })],
  ['with a row', async () => given.accept(given.chat, { requestId: 'request-1' })],
])('a failed run %s has a log line with all its fields', async (_what, make) => {
  const job = await make();
  await reachModel(job);
  given.model.refuse();
  await untilStatus(job, 'failed');
  await logged(job);
  expect(linesOf(job)).toEqual([
    {
      name: 'executor-test',
      level: 'warn',
      time: expect.any(String),
      msg: 'run failed',
      requestId: 'request-1',
      runId: job.runId,
      flowId: job.flowId,
      userId: given.userId,
      attempt: 1,
      status: 'failed',
      code: 'component_failed',
      vertex,
      reason: expect.stringContaining('The model refuses the request.'),
    },
  ]);
});

test('a run of a missing flow version is refused', async () => {
  const job = given.job(given.echo, { flowVersion: 99 });
  await given.send(job);
  await untilStatus(job, 'failed');
  await logged(job);
  const refused = {
    msg: 'run refused',
    code: 'flow_refused',
    reason: 'The flow has been deleted.',
    vertex: null,
  };
  expect(linesOf(job)).toMatchObject([refused]);
});

test('an attempt that does not own its run any more has no log line', async () => {
  const job = await given.accept(given.chat);
  await reachModel(job);
  await database.query({ text: 'UPDATE runs SET attempt = 2 WHERE id = $1', values: [job.runId] });
  given.model.refuse();
  await until(
    () => lines.some(({ msg }) => msg.includes('another attempt owns this run')),
    'the end was stored',
  );
  expect(linesOf(job)).toEqual([]);
});

test('a run with no attempt left has a log line', async () => {
  const job = await given.accept(given.echo, { maximumAttempts: 1, requestId: 'request-2' });
  await given.runs.claim([{ runId: job.runId, worker: 'crashed', redelivered: false }]);
  await database.query({ text: 'UPDATE runs SET lease_until = now() WHERE id = $1', values: [job.runId] });
  await given.send(job);
  await untilStatus(job, 'dead');
  await given.finalReply(job.runId);
  await logged(job);
  const dead = { level: 'warn', msg: 'run given up', code: 'attempts_exhausted', status: 'dead', attempt: 1 };
  expect(linesOf(job)).toMatchObject([{ ...dead, requestId: 'request-2', flowId: job.flowId }]);
});

test('an attempt that is given back and the one that follows have log lines', async () => {
  const job = await given.accept(given.chat, { requestId: 'request-3', maximumAttempts: 1 });
  await reachModel(job);
  await executor.close({ deadlineMilliseconds: 2_300 });
  await given.startExecutor('worker-2', { logger });
  await until(() => given.model.waiting === 1, 'the run was not taken over');
  given.model.answer('by another');
  await untilStatus(job, 'succeeded');
  const back = {
    level: 'info',
    msg: 'run attempt given back; another one follows',
    attempt: 1,
    code: 'shutting_down',
  };
  const again = { level: 'info', msg: 'run begins another attempt', attempt: 2 };
  expect(linesOf(job)).toMatchObject([back, again].map((line) => ({ ...line, requestId: 'request-3' })));
});

test('a cancelled run has a log line at level info', async () => {
  const job = given.job(given.chat);
  await reachModel(job);
  await given.control({ kind: 'cancel', runId: job.runId, reason: 'test' });
  await untilStatus(job, 'cancelled');
  await logged(job);
  expect(linesOf(job)).toMatchObject([{ level: 'info', msg: 'run cancelled', status: 'cancelled' }]);
});

test('a timed-out run has a log line if it has a row; without a row its gateway logs it', async () => {
  const limit = 300;
  const background = await given.accept(given.chat, { limitMilliseconds: limit });
  const awaited = given.job(given.chat, { deadline: Date.now() + limit });
  for (const job of [background, awaited]) await given.send(job);
  for (const job of [background, awaited]) await untilStatus(job, 'timed_out');
  await logged(background);
  expect(linesOf(background)).toMatchObject([
    { level: 'warn', msg: 'run timed out', code: 'deadline_exceeded' },
  ]);
  expect(linesOf(awaited)).toEqual([]);
});

test('an internal failure has one log line at level error, with the stack', async () => {
  const job = given.job(given.echo, { request: { sealed: 'v1.unknown.key.text' } });
  await given.send(job);
  await given.finalReply(job.runId);
  await logged(job);
  expect(linesOf(job)).toMatchObject([
    { level: 'error', msg: 'run failed', code: 'internal', attempt: null },
  ]);
  expect(linesOf(job)[0]?.error?.stack).toContain('at ');
});
