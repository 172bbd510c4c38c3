import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Job } from '@millrace/contracts';
import type { Database } from '@millrace/database';
import { createLogger } from '@millrace/service';
import { openTestDatabase, openTestInstallation } from '../testing/test-installation';
import type { TestInstallation } from '../testing/test-installation';
import { IsolatedAttempts } from './isolated-attempts';

/** Says that it was asked, and for which attempt. */
const program = `
  process.on('message', ({ order }) => process.send({ kind: 'outcome', outcome: {
    status: 'succeeded', body: '"apart ' + order.attempt + '"', failure: null, messages: [], byOutage: false } }));
  process.send({ kind: 'ready' });`;

const directory = mkdtempSync(join(tmpdir(), 'millrace-isolated-runs-'));
let database: Database;
let given: TestInstallation;

beforeAll(async () => {
  const file = join(directory, 'program.cjs');
  writeFileSync(file, program);
  database = await openTestDatabase();
  given = await openTestInstallation(database);
  const logger = createLogger({ name: 'isolation-test', level: 'silent' });
  const isolation = new IsolatedAttempts({ program: file, memoryBytes: 64 * 1024 * 1024, logger });
  await given.startExecutor('worker-1', { isolation });
}, 60_000);

afterAll(async () => {
  await given.close();
  await database.close();
  rmSync(directory, { recursive: true, force: true });
});

const bodyOf = async ({ runId }: Job) => (await given.finalReply(runId)).body.toString();

test('the last attempt of a run that was claimed twice is apart, whoever waits for it', async () => {
  const job = await given.accept(given.echo);
  for (const worker of ['one', 'two'])
    await given.runs.claim([{ runId: job.runId, worker, redelivered: true }]);
  // Its lease protects it from whatever is no redelivery.
  await database.query({ text: `UPDATE runs SET lease_until = now() WHERE id = $1`, values: [job.runId] });
  await given.send(job);
  expect(await bodyOf(job)).toBe('"apart 3"');
});

test('what comes through the quarantine is apart from its first attempt on', async () => {
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
  expect(await bodyOf(job)).toBe('"apart 1"');
  expect(await given.runs.find(given.userId, job.runId)).toMatchObject({
    status: 'succeeded',
    result: 'apart 1',
  });
});

test('a first attempt of a usual run is not', async () => {
  const job = await given.accept(given.echo);
  await given.send(job);
  expect(await bodyOf(job)).toContain('durable');
});
