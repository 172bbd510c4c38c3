import { brokerNames } from '@millrace/messages';
import { createLogger, createMetrics } from '@millrace/service';
import { until } from '@millrace/service/testing';
import { AlertClock } from './alert-clock';
import { DeadLetterPublisher } from './dead-letter-publisher';
import { FairScheduler } from './fair-scheduler';
import { Pruner } from './pruner';
import { ScheduleClock } from './schedule-clock';
import { Sweeper } from './sweeper';
import { UnreadableRowLog } from './unreadable-row-log';

type Line = Readonly<Record<string, unknown>>;

const failure = new Error('the database is down');

/** A store of which each use fails. */
const failing = new Proxy({}, { get: () => () => Promise.reject(failure) });
const bus = { state: 'connected', queueStatus: () => Promise.reject(failure) };
const nothing = () => undefined;

function opened() {
  const lines: Line[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line) as Line) };
  const logger = createLogger({ name: 'test', level: 'info', destination });
  return { lines, logger, metrics: createMetrics() };
}
type Given = ReturnType<typeof opened>;

interface Upkeep {
  start(): void;
  close(): Promise<void>;
}

test.each<[string, (given: Given) => Upkeep, readonly string[]]>([
  [
    'the sweeper',
    (given) =>
      new Sweeper({
        ...given,
        runs: failing,
        endedRequests: failing,
        bus,
        intervalMilliseconds: 1,
      } as never),
    [
      'requests for human input could not be ended; it will be retried in the next round',
      'sweep failed; it will be retried in the next round',
    ],
  ],
  [
    'the scheduler',
    (given) => new FairScheduler({ ...given, runs: failing, bus, idleMilliseconds: 1 } as never),
    ['backlog runs could not be released; they will be retried'],
  ],
  [
    'the clock of schedules',
    (given) =>
      new ScheduleClock({ ...given, triggerEvents: failing, scheduleIntervalMilliseconds: 1 } as never),
    ['schedules could not be fired; they will be retried'],
  ],
  [
    'the clock of alerts',
    (given) => new AlertClock({ ...given, alerts: failing, alertIntervalMilliseconds: 1 } as never),
    ['the rules of alerts could not be evaluated; they will be the next time'],
  ],
  [
    'the pruner',
    (given) => new Pruner({ ...given, runs: failing, intervalMilliseconds: 1, onPruned: nothing } as never),
    ['old records could not be deleted'],
  ],
])('%s logs that its store fails, and goes on', async (_what, create, messages) => {
  const given = opened();
  const upkeep = create(given);
  upkeep.start();
  await until(() => given.lines.length > messages.length);
  await upkeep.close();
  const seen = given.lines.slice(0, messages.length + 1);
  const error: unknown = expect.objectContaining({ message: failure.message });
  expect(seen).toMatchObject([...messages, messages[0]].map((msg) => ({ level: 'warn', msg, error })));
  const { length } = given.lines;
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(given.lines).toHaveLength(length);
});

test('a sweep publishes the runs whose queue is empty, and leaves those whose queue cannot be asked', async () => {
  const { lines, logger } = opened();
  const names = brokerNames('');
  const run = (id: string, pool: string, queueSuspect: boolean) => ({
    id,
    pool,
    lane: 'background',
    queueSuspect,
  });
  const swept = [
    run('lost', 'a', false),
    run('empty', 'b', true),
    run('full', 'c', true),
    run('unknown', 'd', true),
  ];
  const messages = new Map<string, number | null>([
    [names.lane('background', 'b'), 0],
    [names.lane('background', 'c'), 1],
  ]);
  const asked: string[] = [];
  const published: unknown[] = [];
  const counts: number[] = [];
  let rounds = 0;
  const sweeper = new Sweeper({
    logger,
    names,
    intervalMilliseconds: 1,
    runs: {
      expireHumanRequests: async () => [],
      sweep: async () => (rounds++ === 0 ? [...swept, run('empty too', 'b', true)] : []),
      renewStatistics: () => Promise.reject(failure),
    },
    endedRequests: { show: async () => undefined },
    deadLetters: { publishPending: async () => undefined },
    bus: {
      state: 'connected',
      queueStatus: async (queue: string) => {
        asked.push(queue);
        const count = messages.get(queue);
        if (count === undefined) throw failure;
        return { messages: count, consumers: 0 };
      },
    },
    publisher: { publish: async ({ id }: { readonly id: string }) => void published.push(id) },
    onSwept: (count: number) => counts.push(count),
  } as never);
  sweeper.start();
  await until(() => rounds > 1);
  await sweeper.close();
  expect([published, counts]).toEqual([['lost', 'empty', 'empty too'], [3]]);
  expect(asked).toEqual(['b', 'c', 'd'].map((pool) => names.lane('background', pool)));
  expect(lines.slice(0, 3)).toMatchObject([
    {
      level: 'warn',
      msg: 'queue status unavailable; the queue will be checked in the next round',
      queue: names.lane('background', 'd'),
    },
    { level: 'info', msg: 'republishing runs that have no message', runs: 3 },
    {
      level: 'warn',
      msg: 'statistics of the runs could not be renewed; it will be retried in the next round',
    },
  ]);
});

test('dead letters that the broker refuses are logged, and the others confirmed', async () => {
  const { lines, logger } = opened();
  const [acceptedAt, finishedAt] = [new Date(0), new Date(1_000)];
  const dead = (runId: string, failed: object | null) => ({
    runId,
    attempt: 3,
    failure: failed,
    acceptedAt,
    finishedAt,
  });
  const sent: Line[] = [];
  const confirmed: unknown[] = [];
  const counts: number[] = [];
  const publisher = new DeadLetterPublisher({
    logger,
    names: brokerNames(''),
    retentionDays: 2,
    runs: {
      takeDeadLetters: async (limit: number) =>
        limit === 100 ? [dead('a', null), dead('b', { code: 'c', message: 'm' })] : [],
      confirmDeadLetters: async (ids: readonly string[]) => void confirmed.push(ids),
    },
    bus: {
      publish: async (message: Line) => {
        sent.push({ ...message, body: JSON.parse(String(message['body'])) as unknown });
        if (message['messageId'] === 'b') throw failure;
      },
    },
    onPublished: (count: number) => counts.push(count),
  } as never);
  await publisher.publishPending();
  const times = { acceptedAt: '1970-01-01T00:00:00.000Z', diedAt: '1970-01-01T00:00:01.000Z' };
  const message = (id: string, body: object) => ({
    exchange: brokerNames('').deadExchange,
    routingKey: 'dead',
    body: { runId: id, attempts: 3, ...body, ...times },
    persistent: true,
    mandatory: true,
    messageId: id,
    correlationId: id,
    type: 'dead-run',
    expirationMilliseconds: 172_800_000,
  });
  expect(sent).toEqual([
    message('a', { reason: 'attempts_exhausted', message: '' }),
    message('b', { reason: 'c', message: 'm' }),
  ]);
  expect([confirmed, counts]).toEqual([[['a']], [1]]);
  const msg = 'dead letters could not be published; they will be retried';
  expect(lines).toMatchObject([{ level: 'warn', msg, runs: 1, error: { message: failure.message } }]);
});

test.each([
  ['none', async () => [], []],
  [
    'some',
    async () => Array.from({ length: 21 }, (_, index) => index),
    [
      {
        level: 'warn',
        msg: 'rows cannot be read as they were stored: they have characters without a text, or settings of a wrong type',
        count: 21,
        rows: Array.from({ length: 20 }, (_, index) => index),
      },
    ],
  ],
  [
    'not known',
    () => Promise.reject(failure),
    [{ level: 'warn', msg: 'rows that cannot be read could not be counted' }],
  ],
])('rows that cannot be read are named at the start: %s', async (_what, unreadableRows, expected) => {
  const { lines, logger } = opened();
  const log = new UnreadableRowLog({ logger, runs: { unreadableRows } as never });
  log.start();
  await log.close();
  expect(lines).toMatchObject(expected);
  expect(lines).toHaveLength(expected.length);
});
