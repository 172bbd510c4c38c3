import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { brokerNames, runsTopology } from '@millrace/messages';
import { DatabaseUnavailableError } from '@millrace/database';
import type { Database, Statement } from '@millrace/database';
import { openMigratedDatabase } from '@millrace/database/testing';
import { BusUnavailableError, openMessageBus } from '@millrace/messaging';
import type { MessageBus } from '@millrace/messaging';
import {
  ApiKeyStore,
  Encryption,
  FlowStore,
  LimitStore,
  RunStore,
  UserStore,
  VariableStore,
} from '@millrace/runs';
import type { NewRun } from '@millrace/runs';
import { createLogger, createMetrics, Health, localClock, uuidv7 } from '@millrace/service';
import { until } from '@millrace/service/testing';
import { startIngest } from './ingest';
import { testAudit } from './testing/test-audit';
import { testSettings } from './testing/test-settings';
import { testStores } from './testing/test-stores';
import type { Ingest } from './ingest';

const logger = createLogger({ name: 'ingest-test', level: 'silent' });
const names = brokerNames();
let realDatabase: Database;
let databaseLink: 'up' | 'cut' | 'silent' | 'counts slowly';
let databaseCalls = 0;
let bus: MessageBus;
let ingest: Ingest;
let url: string;
let port: number;
let userId: string;
let runs: RunStore;

/** A database connection that the test can cut or stall. */
const database: Database = {
  query: async (statement) => {
    await passDatabaseLink(statement);
    return realDatabase.query(statement);
  },
  transaction: async (work, options) => {
    await passDatabaseLink();
    return realDatabase.transaction(work, options);
  },
  version: () => realDatabase.version(),
  ping: () => realDatabase.ping(),
  close: () => realDatabase.close(),
};

async function passDatabaseLink(statement?: Statement): Promise<void> {
  databaseCalls += 1;
  if (databaseLink === 'cut') throw new DatabaseUnavailableError('cut');
  const isSilent = () =>
    databaseLink === 'silent' ||
    (databaseLink === 'counts slowly' && statement?.name === 'runs-count-waiting');
  while (isSilent()) await pause(20);
}

beforeAll(async () => {
  realDatabase = await openMigratedDatabase(logger);
  userId = (await new UserStore({ database: realDatabase }).ensureFirst()).id;
  const document = { nodes: [], edges: [], viewport: { x: 0, y: 0, zoom: 1 } };
  const settings = { webhookAuth: 'off' as const };
  await new FlowStore({ database: realDatabase }).create(userId, {
    name: 'hook',
    endpointName: 'hook',
    document,
    settings,
  });
}, 60_000);

afterAll(() => realDatabase.close());

beforeEach(async () => {
  databaseLink = 'up';
  bus = await openMessageBus({ url: undefined, logger, name: 'ingest-test' });
  await bus.provision(runsTopology(names, ['default']));
  runs = new RunStore({ database: realDatabase });
  ingest = await start(bus);
  ({ port } = await ingest.listen({ host: '127.0.0.1', port: 0 }));
  url = `http://127.0.0.1:${port}/api/v1/webhook/hook`;
});

function start(reachedBus: MessageBus): Promise<Ingest> {
  return startIngest({
    logger,
    metrics: createMetrics(),
    health: new Health(),
    bus: reachedBus,
    names,
    clock: localClock,
    ...testAudit(database),
    ...testStores(database),
    apiKeys: new ApiKeyStore({ database }),
    flows: new FlowStore({ database }),
    variables: new VariableStore({ database, encryption: Encryption.from(['0'.repeat(64)]) }),
    runs: new RunStore({ database }),
    instance: 'ingest-test',
    pythonPool: null,
    settings: testSettings({ MILLRACE_MAXIMUM_BODY_BYTES: 4_096 }),
    limits: { bodyMembers: 1_000 },
  });
}

afterEach(async () => {
  databaseLink = 'up';
  await ingest.close();
  await bus.close();
});

const post = (headers: Record<string, string> = {}) => fetch(url, { method: 'POST', body: '{}', headers });

test('answers 503 while the database is unavailable, and 202 as soon as it is back', async () => {
  expect((await post()).status).toBe(202);
  databaseLink = 'cut';
  const refused = await post();
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
  databaseLink = 'up';
  expect((await post()).status).toBe(202);
});

test('answers 503 while the database is silent, and refuses later requests without asking it', async () => {
  expect((await post()).status).toBe(202);
  databaseLink = 'silent';
  expect((await post({ 'webhook-id': 'silent-1' })).status).toBe(503);
  databaseCalls = 0;
  expect((await post()).status).toBe(503);
  expect(databaseCalls).toBe(0);
  databaseLink = 'up';
  // A refused webhook can have been stored all the same: when sent again, it resolves to the same run.
  const headers = { 'webhook-id': 'silent-1' };
  let again = await post(headers);
  for (let tries = 0; again.status === 503 && tries < 50; tries += 1) {
    await pause(20);
    again = await post(headers);
  }
  const [one, two] = [await again.json(), await (await post(headers)).json()];
  expect(one).toMatchObject({ run_id: expect.any(String) });
  expect(two).toEqual(one);
});

test('a slow count of the waiting runs of one flow refuses its webhooks only', async () => {
  const { id } = await new FlowStore({ database: realDatabase }).create(userId, {
    name: 'counted',
    endpointName: 'counted',
    document: { nodes: [], edges: [] },
    settings: { webhookAuth: 'off' },
  });
  const limited = { scope: 'flow', id, ownerId: userId } as const;
  await new LimitStore({ database: realDatabase }).replace(limited, { waitingRuns: 5 });
  const send = () => fetch(url.replace(/hook$/, 'counted'), { method: 'POST', body: '{}' });
  databaseLink = 'counts slowly';
  expect((await send()).status).toBe(503);
  expect((await post()).status).toBe(202);
  databaseLink = 'up';
  await until(async () => (await send()).status === 202);
});

test('accepts webhooks while the broker is unreachable; their runs stay in the database', async () => {
  expect((await post()).status).toBe(202);
  await bus.close();
  const response = await post();
  expect(response.status).toBe(202);
  const { run_id } = (await response.json()) as { run_id: string };
  expect(await runs.find(userId, run_id)).toMatchObject({ status: 'accepted' });
});

test('ignores malformed control messages', async () => {
  for (const text of ['', 'null', '{"kind":"key-revoked"}']) {
    const body = Buffer.from(text);
    await bus.publish({
      exchange: names.controlExchange,
      routingKey: '',
      body,
      persistent: false,
      mandatory: false,
    });
  }
  expect((await post()).status).toBe(202);
});

test('stops although a client keeps its connection open, and answers in-flight requests', async () => {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
  const head = `POST /api/v1/webhook/hook HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n`;
  socket.write(`${head}{`);
  await pause(100);
  const closed = ingest.close();
  await pause(50);
  socket.write('}');
  await closed;
  expect(received).toContain('202 Accepted');
  socket.destroy();
});

test('marks runs that are being published during shutdown as queued', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => post({ 'webhook-id': uuidv7() })));
  const ids = await Promise.all(
    answers.map(async (answer) => ((await answer.json()) as { run_id: string }).run_id),
  );
  await ingest.close();
  for (const id of ids) expect(await runs.find(userId, id)).toMatchObject({ status: 'queued' });
});

test('a queue whose status is unavailable does not delay runs of other queues', async () => {
  await ingest.close();
  const silent = names.lane('background', 'silent');
  const busWithSilentQueue: MessageBus = {
    state: 'connected',
    provision: (topology) => bus.provision(topology),
    publish: (message) => bus.publish(message),
    consume: (queue, options, handler) => bus.consume(queue, options, handler),
    queueStatus: (queue) =>
      queue === silent ? Promise.reject(new BusUnavailableError('no answer')) : bus.queueStatus(queue),
    queueStates: () => bus.queueStates(),
    onStateChange: (listener) => bus.onStateChange(listener),
    close: () => bus.close(),
  };
  ingest = await start(busWithSilentQueue);
  const flow = await new FlowStore({ database: realDatabase }).resolve(null, 'hook');
  const accepted = (pool: string): NewRun => ({
    id: uuidv7(),
    flowId: flow?.id ?? '',
    flowVersion: 1,
    userId,
    lane: 'background',
    pool,
    origin: 'webhook',
    request: {
      form: 'webhook',
      inputs: [],
      outputs: { by: 'type', type: 'chat' },
      tweaks: {},
      stream: false,
      sessionId: 's',
      globalVariables: {},
    },
    sessionId: 's',
    limitMilliseconds: 1_000,
    maximumAttempts: 3,
  });
  const [queuedRun, lost] = [accepted('silent'), accepted('default')];
  await runs.accept([queuedRun, lost]);
  await realDatabase.query({
    text: `UPDATE runs SET next_sweep_at = now(), queued_at = now() - interval '2 minutes',
      status = CASE WHEN pool = 'silent' THEN 'queued' ELSE status END WHERE id = ANY($1::uuid[])`,
    values: [[queuedRun.id, lost.id]],
  });
  await until(async () => (await runs.find(userId, lost.id))?.status === 'queued');
});
