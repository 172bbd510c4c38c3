import { randomUUID } from 'node:crypto';
import { brokerNames, replyTopology } from '@millrace/messages';
import { DatabaseUnavailableError } from '@millrace/database';
import type { Database } from '@millrace/database';
import { openKeyValueStore } from '@millrace/key-value';
import { InProcessBus } from '@millrace/messaging';
import { Encryption, MessageStore, RequestSeal, RunStore, SessionHistory } from '@millrace/runs';
import { createMetrics } from '@millrace/service';
import { recordingLogger, until } from '@millrace/service/testing';
import { interactiveRun } from '../testing/interactive-run';
import { switchableDatabase } from '../testing/switchable-stores';
import { openTestDatabase } from '../testing/test-installation';
import { groupClaims, InteractiveRecords, retryDuringOutage } from './group-writes';
import { openRecords } from './open-records';

const logger = recordingLogger();
const names = brokerNames('');
let database: Database;
let runs: RunStore;
let seal: RequestSeal;
let bus: InProcessBus;

beforeAll(async () => {
  database = await openTestDatabase();
  seal = new RequestSeal({ encryption: Encryption.from([Buffer.alloc(32, 7).toString('base64')]) });
  runs = new RunStore({ database, seal });
  bus = new InProcessBus({ logger });
  await bus.provision(replyTopology(names, 'gateway'));
});

afterAll(async () => {
  await bus.close();
  await database.close();
});

test('a lost record is reported to its gateway, so that reads do not wait for it', async () => {
  const reported: unknown[] = [];
  await bus.consume(names.reply('gateway'), { prefetch: 10, noAck: true }, async ({ type, body }) => {
    reported.push(type, JSON.parse(body.toString()));
    return 'done';
  });
  let lost = 0;
  const records = new InteractiveRecords({
    runs,
    bus,
    logger,
    shutdownDeadline: new AbortController().signal,
    onLost: (count) => void (lost += count),
  });
  await records.close();
  expect(await records.add({ run: interactiveRun, replyTo: names.reply('gateway') })).toBe('lost');
  await until(() => reported.length > 0);
  expect(reported).toEqual(['recorded', [interactiveRun.id]]);
  expect(lost).toBe(1);
});

test('at most 10,000 claims wait for the database; others are refused', async () => {
  const { signal: shutdownDeadline } = new AbortController();
  const claims = groupClaims({ runs, worker: 'worker', logger, shutdownDeadline });
  const outcomes = await Promise.allSettled(
    Array.from({ length: 10_002 }, () =>
      claims.add({ runId: randomUUID(), worker: 'worker', redelivered: false }),
    ),
  );
  const refused = outcomes.filter(({ status }) => status === 'rejected');
  expect(refused).toEqual(outcomes.slice(10_000));
  expect(refused[0]).toMatchObject({ reason: { name: 'GroupCommitFullError' } });
  await claims.close();
});

test('tries during an outage pause longer each time', async () => {
  const { signal: shutdownDeadline } = new AbortController();
  // Longer than the longest pause, so that tries without pauses are many.
  const options = { timeoutMilliseconds: 2_200, logger, activity: 'testing', shutdownDeadline };
  let tries = 0;
  const commit = () => {
    tries += 1;
    return Promise.reject(new DatabaseUnavailableError('away'));
  };
  await expect(retryDuringOutage(options, commit)).rejects.toThrow('away');
  expect(tries).toBeGreaterThan(1);
  expect(tries).toBeLessThan(20);
  const lines = logger.fieldsOf('database error while testing; retrying');
  expect(lines).toHaveLength(tries - 1);
  expect(lines[0]).toEqual({ error: new DatabaseUnavailableError('away'), attempt: 1 });
});

test('what the database refuses when there is no time to try again is logged', async () => {
  const away = switchableDatabase(database);
  away.isAway = true;
  const error = expect.any(DatabaseUnavailableError);
  const keyValue = await openKeyValueStore({ url: undefined, prefix: '', logger, name: 'records' });
  const history = new SessionHistory({ keyValue, messages: new MessageStore({ database }), logger });
  const given = {
    runs: new RunStore({ database: away, seal }),
    bus,
    logger,
    worker: 'worker',
    shutdownDeadline: AbortSignal.abort(),
    metrics: createMetrics(),
    history,
  };
  const records = openRecords(given);
  expect(await records.interactive.add({ run: interactiveRun, replyTo: undefined })).toBe('lost');
  expect(logger.fieldsOf('records of interactive runs could not be written')).toEqual([{ error, runs: 1 }]);
  expect(await given.metrics.prometheusText()).toContain('millrace_records_lost_total 1');
  const runId = randomUUID();
  await records.updates.forgetSuspensions(runId);
  expect(logger.fieldsOf('could not delete what an ended run kept while it waited')).toEqual([
    { error, runId },
  ]);
  await records.updates.confirmAlive({ runId, attempt: 1 });
  const unconfirmed =
    'could not confirm that this worker is alive; the attempt that was taken over will count';
  expect(logger.fieldsOf(unconfirmed)).toEqual([{ error, runId }]);
  await records.close();
  await keyValue.close();
});
