import type { Job } from '@millrace/messages';
import type { Database } from '@millrace/database';
import type { Logger } from '@millrace/service';
import { openTestDatabase, openTestInstallation } from '../testing/test-installation';
import type { TestInstallation } from '../testing/test-installation';

const TEN_MINUTES = 600_000;

let opened: Database;
let given: TestInstallation;
const lines: { readonly message: string; readonly fields: object }[] = [];
const ignore = () => undefined;
const warn = (fields: object, message: string) => void lines.push({ fields, message });
const logger: Logger = {
  level: 'info',
  debug: ignore,
  info: ignore,
  warn,
  error: warn,
  fatal: warn,
  child: () => logger,
};

beforeAll(async () => {
  opened = await openTestDatabase();
  given = await openTestInstallation(opened);
  await given.startExecutor('worker-1', { logger });
}, 60_000);

afterAll(async () => {
  await given.close();
  await opened.close();
});

/** The times in a job of a gateway whose clock is ahead by so many milliseconds. */
function timesOf(ahead: number, { milliseconds = 10_000, isOld = false } = {}) {
  const now = Date.now();
  return {
    acceptedAt: now + ahead,
    deadline: now + ahead + milliseconds,
    ...(!isOld && { databaseDeadline: now + milliseconds }),
  } satisfies Partial<Job>;
}

const skewed = [
  ['ahead', TEN_MINUTES, false],
  ['behind', -TEN_MINUTES, false],
  ['ahead, of the previous version', TEN_MINUTES, true],
  ['behind, of the previous version', -TEN_MINUTES, true],
] as const;

test.each(skewed)('the job of a gateway that is ten minutes %s is executed', async (_how, ahead, isOld) => {
  const job = given.job(given.echo, timesOf(ahead, { isOld }));
  await given.send(job);
  expect((await given.finalReply(job.runId)).headers['x-status']).toBe('succeeded');
  await given.recorded(job.runId);
  const record = await given.runs.find(given.userId, job.runId);
  if (!isOld) expect(Math.abs(record!.acceptedAt.getTime() - Date.now())).toBeLessThan(TEN_MINUTES / 2);
  const times = [record!.acceptedAt, record!.startedAt!, record!.finishedAt!].map((time) => time.getTime());
  expect(times).toEqual([...times].sort((left, right) => left - right));
});

test.each(skewed)(
  'a run with a row of a gateway that is ten minutes %s succeeds',
  async (_how, ahead, isOld) => {
    const accepted = await given.accept(given.echo, { lane: 'interactive', origin: 'run' });
    const job = { ...accepted, lane: 'interactive' as const, ...timesOf(ahead, { isOld }) };
    await given.send(job);
    expect((await given.finalReply(job.runId)).headers['x-status']).toBe('succeeded');
    expect(await given.runs.find(given.userId, job.runId)).toMatchObject({ status: 'succeeded', attempt: 1 });
  },
);

test('a run whose deadline has passed is not started, answered at once, and logged', async () => {
  lines.splice(0);
  const late = given.job(given.echo, timesOf(TEN_MINUTES, { milliseconds: 10_000 }));
  await given.send({ ...late, databaseDeadline: Date.now() - 3_000 });
  const { headers, body } = await given.finalReply(late.runId);
  expect(headers['x-status']).toBe('timed_out');
  expect(JSON.parse(body.toString())).toMatchObject({ code: 'deadline_exceeded' });
  expect(lines).toContainEqual({
    message: 'a run was not started: its deadline had passed',
    fields: expect.objectContaining({ runId: late.runId, flowId: given.echo.id }),
  });
  expect(await given.runs.find(given.userId, late.runId)).toBeNull();
});

test('messages have the time of the shared clock', async () => {
  const ahead = { now: () => Date.now() + TEN_MINUTES, isShared: true };
  const there = await openTestInstallation(opened);
  await there.startExecutor('worker-1', { clock: ahead });
  const request = there.request('hello', { sessionId: 'of another clock' });
  const job = there.job(there.echo, { request, deadline: Date.now() + 20_000 });
  await there.send(job);
  await there.recorded(job.runId);
  const stored = await there.messages.list({ userId: there.userId, sessionId: 'of another clock' });
  expect(stored).toHaveLength(2);
  for (const { timestamp } of stored)
    expect(Math.abs(timestamp.getTime() - ahead.now())).toBeLessThan(TEN_MINUTES / 2);
  await there.close();
});
