import { randomUUID } from 'node:crypto';
import { brokerNames, replyTopology } from '@millrace/messages';
import { DatabaseUnavailableError } from '@millrace/database';
import type { Database } from '@millrace/database';
import { InProcessBus } from '@millrace/messaging';
import { Encryption, RequestSeal, RunStore } from '@millrace/runs';
import { createLogger } from '@millrace/service';
import { until } from '@millrace/service/testing';
import { interactiveRun } from '../testing/interactive-run';
import { openTestDatabase } from '../testing/test-installation';
import { groupClaims, InteractiveRecords, retryDuringOutage } from './group-writes';

const logger = createLogger({ name: 'interactive-records-test', level: 'silent' });
const names = brokerNames('');
let database: Database;
let runs: RunStore;
let bus: InProcessBus;

beforeAll(async () => {
  database = await openTestDatabase();
  const seal = new RequestSeal({ encryption: Encryption.from([Buffer.alloc(32, 7).toString('base64')]) });
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
});
