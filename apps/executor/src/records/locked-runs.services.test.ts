import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { migrate, openDatabase } from '@millrace/database';
import type { Database, Queryable } from '@millrace/database';
import { createLogger } from '@millrace/service';
import { recordingLogger, until } from '@millrace/service/testing';
import { interactiveRun } from '../testing/interactive-run';
import { openTestInstallation } from '../testing/test-installation';
import type { TestInstallation } from '../testing/test-installation';
import { groupClaims, InteractiveRecords } from './group-writes';

// On a server: the embedded database has one connection, so that nothing waits for a lock there.
const logger = createLogger({ name: 'locked-runs-test', level: 'silent' });
const schema = `test_${randomUUID().replaceAll('-', '')}`;
let database: Database;
let given: TestInstallation;

beforeAll(async () => {
  const address = new URL(process.env['DATABASE_URL'] ?? '');
  address.searchParams.set('options', `-c search_path=${schema}`);
  database = await openDatabase({ url: address.href, logger, name: 'locked-runs-test' });
  await database.query({ text: `CREATE SCHEMA ${schema}` });
  await migrate(database, { logger });
  given = await openTestInstallation(database);
  await given.startExecutor('worker-1', { settings: { MILLRACE_CONCURRENCY: 8 } });
}, 120_000);
afterAll(async () => {
  await given.close();
  await database.query({ text: `DROP SCHEMA ${schema} CASCADE` });
  await database.close();
});

const lock = (connection: Queryable, id: string) =>
  connection.query({ text: 'SELECT FROM runs WHERE id = $1 FOR UPDATE', values: [id] });
const statusOf = async (runId: string) => (await given.runs.find(given.userId, runId))?.status;
const succeeded = (runId: string) =>
  until(async () => (await statusOf(runId)) === 'succeeded', 'the run did not succeed');

test('a run whose row is locked is claimed after the lock, and the others do not wait for it', async () => {
  const [locked, other] = [await given.accept(given.echo), await given.accept(given.echo)] as const;
  await database.transaction(async (connection) => {
    await lock(connection, locked.runId);
    for (const job of [locked, other]) await given.send(job);
    await succeeded(other.runId);
    // Longer than a delivery waits for its claim.
    await sleep(4_000);
  });
  await succeeded(locked.runId);
  expect(await given.runs.find(given.userId, locked.runId)).toMatchObject({ attempt: 1 });
  const again = given.logged('another session locks the row of a run; it is delivered again');
  expect(again).toContainEqual(expect.objectContaining({ runId: locked.runId }));
});

test('a run whose row is locked ends after the lock, and the others do not wait for it', async () => {
  const jobs = [await given.accept(given.chat), await given.accept(given.chat)] as const;
  const [locked, other] = jobs;
  for (const job of jobs) await given.send(job);
  await until(() => given.model.waiting === 2, 'the runs did not reach the model');
  await database.transaction(async (connection) => {
    await lock(connection, locked.runId);
    given.model.answer('done');
    await succeeded(other.runId);
    expect(await statusOf(locked.runId)).toBe('running');
  });
  await succeeded(locked.runId);
  expect(given.model.requestCount).toBe(2);
});

test('lines of the log of a run whose row is locked are added after the lock, and those of others do not wait', async () => {
  const runs = [await given.accept(given.echo), await given.accept(given.echo)] as const;
  const [locked, other] = runs.map(({ runId }) => runId) as [string, string];
  const lines = new Map([locked, other].map((id) => [id, '{}\n']));
  await database.transaction(async (connection) => {
    await lock(connection, locked);
    expect(await given.runs.appendLogs(lines)).toEqual(new Set([other]));
  });
  expect(await given.runs.appendLogs(new Map([[locked, '{}\n']]))).toEqual(new Set([locked]));
});

test('a run whose lease was renewed while its row was locked is not taken over', async () => {
  const { runId } = await given.accept(given.echo);
  await given.runs.claim([{ runId, worker: 'holder', redelivered: false }]);
  const { signal: shutdownDeadline } = new AbortController();
  const claims = groupClaims({ runs: given.runs, worker: 'worker-2', logger, shutdownDeadline });
  const { claimed } = await database.transaction(async (connection) => {
    await lock(connection, runId);
    const askedAt = performance.now();
    const claimed = claims.add({ runId, worker: 'worker-2', redelivered: true, askedAt });
    await sleep(500);
    const text = `UPDATE runs SET lease_until = clock_timestamp() + interval '15 seconds' WHERE id = $1`;
    await connection.query({ text, values: [runId] });
    return { claimed };
  });
  expect(await claimed).toEqual({ outcome: 'held', worker: 'holder', attempt: 1 });
  await claims.close();
});

test('of two deliveries of a run that arrive together, one gets the claim', async () => {
  const { runId } = await given.accept(given.echo);
  const { signal: shutdownDeadline } = new AbortController();
  const worker = 'worker-3';
  const claims = groupClaims({ runs: given.runs, worker, logger, shutdownDeadline });
  const claim = { runId, worker, redelivered: false };
  const answers = await Promise.all([claims.add(claim), claims.add(claim)]);
  expect(answers).toMatchObject([{ outcome: 'claimed' }, { outcome: 'held', worker }]);
  await claims.close();
});

test('a record that was not stored because its row is locked is logged', async () => {
  const { runId } = await given.accept(given.echo);
  await given.runs.claim([{ runId, worker: 'worker-2', redelivered: false }]);
  const errors = recordingLogger();
  const records = new InteractiveRecords({
    runs: given.runs,
    bus: given.bus,
    logger: errors,
    shutdownDeadline: AbortSignal.abort(),
    onLost: () => undefined,
  });
  await database.transaction(async (connection) => {
    await lock(connection, runId);
    expect(await records.add({ run: { ...interactiveRun, id: runId }, replyTo: undefined })).toBe('lost');
  });
  const lost = 'the record of an interactive run could not be written: its row is locked';
  expect(errors.fieldsOf(lost)).toEqual([{ runId }]);
  await records.close();
});
