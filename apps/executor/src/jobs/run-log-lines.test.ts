import { readRunLog } from '@millrace/runs';
import type { RunLogLine } from '@millrace/runs';
import { createLogger, createMetrics, localClock } from '@millrace/service';
import { recordingLogger, until } from '@millrace/service/testing';
import { scriptedFlow } from '../testing/flow-document';
import { openTestDatabase, openTestInstallation } from '../testing/test-installation';
import type { TestInstallation } from '../testing/test-installation';
import { RunLogLines } from './run-log-lines';

let given: TestInstallation;
let close: () => Promise<void>;
beforeAll(async () => {
  const database = await openTestDatabase();
  given = await openTestInstallation(database);
  const logger = createLogger({ name: 'log-test', level: 'warn', destination: { write: () => undefined } });
  await given.startExecutor('worker-1', { logger, settings: { MILLRACE_VERTEX_RECORDS: true } });
  close = async () => {
    await given.close();
    await database.close();
  };
}, 60_000);
afterAll(() => close());

const logOf = (runId: string) => readRunLog(given.database, runId);
const kept = async (runId: string, count: number): Promise<readonly RunLogLine[]> => {
  await until(async () => (await logOf(runId)).length >= count, 'lines of the log are missing');
  return logOf(runId);
};
const failing = () =>
  given.flows.create(given.userId, {
    name: `failing ${crypto.randomUUID()}`,
    document: scriptedFlow('throw new Error("no " + input)'),
  });

test('a run keeps the warnings of its attempts, with and without a row while it runs', async () => {
  const flow = await failing();
  const retried = await given.accept(flow, { retry: { attempts: 2, backoffSeconds: 60 } });
  await given.send(retried);
  const [first] = await kept(retried.runId, 1);
  expect(first).toEqual({
    at: expect.stringMatching(/^\d{4}-.*Z$/),
    level: 'warn',
    attempt: 1,
    message: 'run attempt failed; another one follows',
    fields: {
      status: 'failed',
      code: 'component_failed',
      reason: expect.stringContaining('no durable'),
      vertex: expect.objectContaining({ type: 'JavaScriptFunction' }),
      retryInMilliseconds: expect.any(Number),
    },
  });
  await given.database.query({
    text: 'UPDATE runs SET next_sweep_at = now() WHERE id = $1',
    values: [retried.runId],
  });
  await given.runs.sweep({ limit: 10 });
  await given.send(retried);
  expect((await kept(retried.runId, 2)).map(({ attempt, message }) => [attempt, message])).toEqual([
    [1, 'run attempt failed; another one follows'],
    [2, 'run failed'],
  ]);
  const interactive = given.job(flow, { request: given.request('luck') });
  await given.send(interactive);
  expect(await kept(interactive.runId, 1)).toMatchObject([{ level: 'warn', message: 'run failed' }]);
});

test('a run that logs nothing has no row of a log', async () => {
  const job = given.job(given.echo, { request: given.request('x') });
  await given.send(job);
  await given.finalReply(job.runId);
  await given.recorded(job.runId);
  const failed = given.job(await failing(), { request: given.request('later') });
  await given.send(failed);
  await kept(failed.runId, 1);
  expect(await logOf(job.runId)).toEqual([]);
});

test('an error of the process is kept by its kind, without its text', async () => {
  const metrics = createMetrics();
  const stored: string[] = [];
  const logger = createLogger({ name: 'log-test', level: 'silent' });
  const appendLogs = async (logs: ReadonlyMap<string, string>) => {
    stored.push(...logs.values());
    return new Set(logs.keys());
  };
  const lines = new RunLogLines({ runs: { appendLogs }, logger, metrics, clock: localClock, enabled: true });
  const error = Object.assign(new TypeError('at postgres://secret'), { code: 'ECONNRESET' });
  lines.logger.error({ error, runId: 'one', attempt: 2, header: 'x' }, 'could not deliver a reply');
  lines.logger.info({ runId: 'one' }, 'not kept');
  lines.logger.warn({}, 'of no run');
  await lines.close();
  expect(stored.map((text) => JSON.parse(text) as unknown)).toEqual([
    {
      at: expect.any(String),
      level: 'error',
      message: 'could not deliver a reply',
      attempt: 2,
      fields: { error: 'TypeError (ECONNRESET)' },
    },
  ]);
});

test('lines wait for the row of their run, and are bounded', async () => {
  const metrics = createMetrics();
  const batches: (readonly string[])[] = [];
  const logger = recordingLogger();
  const error = new Error('away');
  const appendLogs = async (logs: ReadonlyMap<string, string>) => {
    if (logs.has('refused')) throw error;
    batches.push([...logs.keys()]);
    return new Set<string>();
  };
  const lines = new RunLogLines({ runs: { appendLogs }, logger, metrics, clock: localClock, enabled: true });
  const running = new Map([['running', { durable: false }]]);
  lines.watch(running);
  lines.logger.warn({ runId: 'running' }, 'first');
  lines.logger.warn({ runId: 'stored' }, 'first');
  await until(() => batches.length === 1, 'nothing was stored');
  expect(batches).toEqual([['stored']]);
  running.clear();
  await until(() => batches.some((batch) => batch.includes('running')), 'the line was forgotten');
  lines.logger.warn({ runId: 'refused' }, 'first');
  const refused = () => logger.fieldsOf('could not store log lines of runs');
  await until(() => refused().length > 0, 'the failure was not logged');
  expect(refused()[0]).toEqual({ error, runs: expect.any(Number) });
  for (let index = 0; index < 1_100; index += 1) lines.logger.warn({ runId: `run ${index}` }, 'one');
  const lost = /^millrace_run_log_lines_lost_total (\d+)$/m.exec(await metrics.prometheusText())?.[1];
  expect(Number(lost)).toBeGreaterThanOrEqual(98);
  await lines.close();
});
