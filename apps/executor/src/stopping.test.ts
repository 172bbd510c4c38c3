import type { Database } from '@millrace/database';
import { openTestDatabase, openTestInstallation, until } from './testing/test-installation';
import type { TestInstallation } from './testing/test-installation';

let database: Database;
let given: TestInstallation;

beforeAll(async () => {
  database = await openTestDatabase();
}, 60_000);

afterAll(() => database.close());

beforeEach(async () => {
  given = await openTestInstallation(database);
});

afterEach(() => given.close());

const statusOf = async (runId: string) => (await given.runs.find(given.userId, runId))?.status;

test('lets a run in hand finish, and gives what has not started to somebody else at once', async () => {
  const executor = await given.startExecutor('worker-1', { concurrency: 1 });
  const running = await given.accept(given.chat);
  await given.send(running);
  await until(() => given.model.waiting === 1, 'the run did not reach the model');
  const waiting = [await given.accept(given.echo), given.job(given.echo)];
  for (const job of waiting) await given.send(job);
  await new Promise((resolve) => setTimeout(resolve, 50));
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

test('gives back what cannot finish in time, and the attempt does not count', async () => {
  const executor = await given.startExecutor('worker-1');
  const durable = await given.accept(given.chat, { maximumAttempts: 2 });
  const interactive = given.job(given.chat, { deadline: Date.now() + 20_000 });
  await given.send(durable);
  await given.send(interactive);
  await until(() => given.model.waiting === 2, 'the runs did not reach the model');
  const started = Date.now();
  await executor.close({ deadlineMilliseconds: 2_300 });
  expect(Date.now() - started).toBeLessThan(2_300);
  expect(await statusOf(durable.runId)).toBe('queued');

  await given.startExecutor('worker-2');
  await until(() => given.model.waiting === 2, 'the runs were not taken over');
  given.model.answer('by another');
  for (const { runId } of [durable, interactive]) {
    const reply = await given.finalReply(runId);
    expect([reply.headers['x-status'], reply.headers['x-attempt']]).toEqual(['succeeded', 2]);
  }
});

test('ends in time although the database is away', async () => {
  const executor = await given.startExecutor('worker-1');
  const job = await given.accept(given.chat);
  await given.send(job);
  await until(() => given.model.waiting === 1, 'the run did not reach the model');
  given.database.isAway = true;
  given.model.answer('cannot be stored');
  const started = Date.now();
  await executor.close({ deadlineMilliseconds: 2_500 });
  expect(Date.now() - started).toBeLessThan(4_000);
});
