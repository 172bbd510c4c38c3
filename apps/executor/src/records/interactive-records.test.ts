import { brokerNames, replyTopology } from '@millrace/messages';
import type { Database } from '@millrace/database';
import { InProcessBus } from '@millrace/messaging';
import { Encryption, RequestSeal, RunStore } from '@millrace/runs';
import { createLogger } from '@millrace/service';
import { until } from '@millrace/service/testing';
import { interactiveRun } from '../testing/interactive-run';
import { openTestDatabase } from '../testing/test-installation';
import { InteractiveRecords } from './group-writes';

const logger = createLogger({ name: 'interactive-records-test', level: 'silent' });
const names = brokerNames('');
let database: Database;
let bus: InProcessBus;

beforeAll(async () => {
  database = await openTestDatabase();
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
    runs: new RunStore({
      database,
      seal: new RequestSeal({ encryption: Encryption.from([Buffer.alloc(32, 7).toString('base64')]) }),
    }),
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
