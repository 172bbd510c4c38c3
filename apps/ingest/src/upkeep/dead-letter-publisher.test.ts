import { brokerNames, runsTopology } from '@millrace/messages';
import type { DeadLetter } from '@millrace/messages';
import type { Database } from '@millrace/database';
import { openMigratedDatabase } from '@millrace/database/testing';
import { openMessageBus } from '@millrace/messaging';
import type { Delivery, MessageBus } from '@millrace/messaging';
import { FlowStore, RunStore, UserStore } from '@millrace/runs';
import { createLogger, uuidv7 } from '@millrace/service';
import { until } from '@millrace/service/testing';
import { DeadLetterPublisher } from './dead-letter-publisher';

const logger = createLogger({ name: 'dead-letters-test', level: 'silent' });
const names = brokerNames();
let database: Database;
let bus: MessageBus;
let runs: RunStore;
let publisher: DeadLetterPublisher;
let published = 0;

beforeAll(async () => {
  database = await openMigratedDatabase(logger);
  bus = await openMessageBus({ url: undefined, logger, name: 'dead-letters-test' });
  runs = new RunStore({ database });
  const onPublished = (count: number) => void (published += count);
  publisher = new DeadLetterPublisher({ runs, bus, names, logger, retentionDays: 7, onPublished });
}, 120_000);

afterAll(async () => {
  await bus.close();
  await database.close();
});

test('publishes one dead letter with its reason for a dead run, even when the first publish fails', async () => {
  const userId = (await new UserStore({ database }).ensureFirst()).id;
  const document = { nodes: [], edges: [] };
  const flow = await new FlowStore({ database }).create(userId, { name: 'flow', document });
  const id = uuidv7();
  await runs.accept([
    {
      id,
      flowId: flow.id,
      flowVersion: flow.version,
      userId,
      lane: 'background',
      pool: 'default',
      origin: 'webhook',
      sessionId: 's',
      limitMilliseconds: 1_000,
      maximumAttempts: 1,
      request: {
        form: 'webhook',
        inputs: [],
        outputs: { by: 'type', type: 'chat' },
        tweaks: {},
        stream: false,
        sessionId: 's',
        globalVariables: {},
      },
    },
  ]);
  await runs.claim([{ runId: id, worker: 'one', redelivered: false }]);
  await runs.claim([{ runId: id, worker: 'two', redelivered: true }]);
  expect(await runs.find(userId, id)).toMatchObject({ status: 'dead' });

  // No topology is declared yet, so the dead letter cannot be routed.
  await publisher.publishPending();
  expect(published).toBe(0);
  await bus.provision(runsTopology(names, ['default']));
  await database.query({ text: 'UPDATE dead_letters SET due_at = now()' });
  for (let round = 0; round < 3; round += 1) await publisher.publishPending();
  expect(published).toBe(1);

  const dead: Delivery[] = [];
  await bus.consume(names.deadQueue, { prefetch: 10 }, async (delivery) => {
    dead.push(delivery);
    return 'done';
  });
  await until(() => dead.length > 0);
  expect(dead).toHaveLength(1);
  expect(dead[0]).toMatchObject({ type: 'dead-run', messageId: id });
  expect(JSON.parse(String(dead[0]?.body)) as DeadLetter).toMatchObject({
    runId: id,
    flowId: flow.id,
    flowVersion: flow.version,
    userId,
    lane: 'background',
    pool: 'default',
    attempts: 1,
    reason: 'attempts_exhausted',
    message: expect.any(String),
    acceptedAt: expect.any(String),
    diedAt: expect.any(String),
  });
});
