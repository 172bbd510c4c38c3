import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Job } from '@millrace/messages';
import type { Database } from '@millrace/database';
import { openTestDatabase, openTestInstallation } from '../../testing/test-installation';
import type { TestInstallation } from '../../testing/test-installation';
import { IsolatedAttempts } from './isolated-attempts';

/** Returns that the attempt was isolated, and its number. */
const program = `
  process.on('message', ({ order }) => process.send({ kind: 'outcome', outcome: {
    status: 'succeeded', body: '"isolated ' + order.attempt + '"', failure: null, messages: [], byOutage: false } }));
  process.send({ kind: 'ready' });`;

const directory = mkdtempSync(join(tmpdir(), 'millrace-isolated-runs-'));
let database: Database;
let given: TestInstallation;

beforeAll(async () => {
  const file = join(directory, 'program.cjs');
  writeFileSync(file, program);
  database = await openTestDatabase();
  given = await openTestInstallation(database);
  const isolation = new IsolatedAttempts({ program: file, memoryBytes: 64 * 1024 * 1024 });
  await given.startExecutor('worker-1', { isolation });
}, 60_000);

afterAll(async () => {
  await given.close();
  await database.close();
  rmSync(directory, { recursive: true, force: true });
});

const bodyOf = async ({ runId }: Job) => (await given.finalReply(runId)).body.toString();

test('the last attempt of a run that was claimed twice is isolated', async () => {
  // A background run would wait before its third attempt.
  const job = await given.accept(given.echo, { lane: 'interactive' });
  for (const worker of ['one', 'two'])
    await given.runs.claim([{ runId: job.runId, worker, redelivered: true }]);
  // The lease would protect the run from a delivery that is not a redelivery.
  await database.query({ text: `UPDATE runs SET lease_until = now() WHERE id = $1`, values: [job.runId] });
  await given.send(job);
  expect(await bodyOf(job)).toBe('"isolated 3"');
});

test('a run from the quarantine is isolated from its first attempt on', async () => {
  const job = await given.accept(given.echo);
  await given.bus.publish({
    exchange: '',
    routingKey: given.names.quarantineQueue,
    body: Buffer.from(JSON.stringify(job)),
    persistent: true,
    mandatory: true,
    correlationId: job.runId,
    replyTo: given.names.reply('test'),
  });
  expect(await bodyOf(job)).toBe('"isolated 1"');
  expect(await given.runs.find(given.userId, job.runId)).toMatchObject({
    status: 'succeeded',
    result: 'isolated 1',
  });
});

test('the first attempt of other runs is not isolated', async () => {
  const job = await given.accept(given.echo);
  await given.send(job);
  expect(await bodyOf(job)).toContain('durable');
});
