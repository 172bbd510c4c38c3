import { EventEmitter } from 'node:events';
import { brokerNames } from '@millrace/messages';
import { createLogger, createMetrics } from '@millrace/service';
import { until } from '@millrace/service/testing';
import { CallbackSender } from '../callbacks/callback-sender';
import { RefusedDeliveries } from '../intake/refused-deliveries';
import { WaitingSenders } from '../intake/webhooks/waiting-senders';
import { AlertClock } from './alert-clock';
import { DeadLetterPublisher } from './dead-letter-publisher';
import { exportBacklog } from './backlog-metrics';
import { FairScheduler } from './fair-scheduler';
import { ObjectCleaner } from './object-cleaner';
import { Pruner } from './pruner';
import { ScheduleClock } from './schedule-clock';
import { measureFiring } from './schedule-metrics';
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
  [
    'the sender of callbacks',
    (given) => new CallbackSender({ ...given, callbacks: failing, intervalMilliseconds: 1 } as never),
    ['callbacks could not be read; they will be retried'],
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

test('callbacks whose time is over, and alerts with too many rules, are logged', async () => {
  const { lines, logger } = opened();
  let dead = 0;
  const sender = new CallbackSender({
    logger,
    intervalMilliseconds: 1,
    callbacks: { expire: async () => 2, count: async () => ({}), take: async () => [] },
    onDead: (count: number) => (dead += count),
  } as never);
  const alerts = { evaluate: async () => ({ changes: [], isPartial: true }) };
  const clock = new AlertClock({
    logger,
    metrics: createMetrics(),
    alerts,
    alertIntervalMilliseconds: 1,
  } as never);
  for (const part of [sender, clock]) part.start();
  await until(() => lines.length > 1);
  for (const part of [sender, clock]) await part.close();
  expect(dead).toBe(2);
  expect(lines).toContainEqual(
    expect.objectContaining({ msg: 'callbacks were given up: their time is over', callbacks: 2 }),
  );
  const msg = 'not all rules of alerts were evaluated: there are more than 10,000';
  expect(lines).toContainEqual(expect.objectContaining({ level: 'warn', msg }));
});

test('refused deliveries that cannot be stored are logged and counted', async () => {
  const { lines, logger, metrics } = opened();
  const deliveries = new RefusedDeliveries({ store: failing, logger, metrics } as never);
  const refusal = { code: 'key_invalid', status: 403, message: 'no' } as const;
  const request = { headers: {}, socket: {} };
  await deliveries.add(async () => ({ id: 'flow' }) as never, refusal, request as never, null);
  await deliveries.close();
  const msg = 'refused deliveries could not be stored for the owners of their flows';
  expect(lines).toMatchObject([{ level: 'warn', msg, error: { message: failure.message } }]);
  expect(await metrics.prometheusText()).toContain('millrace_refused_deliveries_omitted_total 1');
});

test('a sender whose run cannot be read is answered that it was accepted', async () => {
  const { lines, logger } = opened();
  let polls = 0;
  const ended = async (ids: readonly string[]) => {
    if (polls++ === 0) throw failure;
    return ids.map((id) => ({ id, status: 'succeeded', resultText: null }));
  };
  const senders = new WaitingSenders({
    logger,
    runs: { ended, wholeResult: () => Promise.reject(failure) },
  } as never);
  const response = Object.assign(new EventEmitter(), { destroyed: false });
  let accepted = 0;
  const flow = { id: 'flow', userId: 'user' };
  const options = { waitSeconds: 60, flow, isOpen: false, accept: () => void (accepted += 1) };
  await senders.answer(response as never, 'run', options);
  await senders.close();
  expect(accepted).toBe(1);
  expect(lines).toMatchObject([
    { level: 'warn', msg: 'ends of runs could not be read; senders of webhooks wait on' },
    { level: 'warn', msg: 'the result of a run could not be read for its sender', runId: 'run' },
  ]);
});

test('objects that are deleted and moved, and those that could not be, are logged and counted', async () => {
  const { lines, logger, metrics } = opened();
  let looks = 0;
  const objects = {
    sweep: async () => (looks++ === 0 ? { objects: 3 } : null),
    deleteDue: async () => ({ deleted: 2, failure }),
    moveDue: async () => ({ moved: 4, failure }),
  };
  const cleaner = new ObjectCleaner({
    logger,
    metrics,
    objectDeletions: objects,
    bodyMover: objects,
  } as never);
  cleaner.start();
  await until(() => lines.length >= 3);
  await cleaner.close();
  const error = expect.objectContaining({ message: failure.message });
  const expected = [
    { msg: 'looked for objects that no row names', objects: 3 },
    { msg: 'objects could not be deleted; it will be tried again', error },
    { msg: 'requests and results could not be moved to the object store; it will be tried again', error },
  ];
  for (const line of expected) expect(lines).toContainEqual(expect.objectContaining(line));
  const text = await metrics.prometheusText();
  for (const [name, count] of [
    ['millrace_objects_deleted_total', 2],
    ['millrace_bodies_moved_total', 4],
  ] as const) {
    expect(text).toMatch(new RegExp(`^${name}\\{outcome="ok"\\} ${count}$`, 'm'));
    expect(text).toMatch(new RegExp(`^${name}\\{outcome="failed"\\} 1$`, 'm'));
  }
});

test('the count of the backlog is exported by pool, lane and state', async () => {
  const metrics = createMetrics();
  const lane = (name: string, messages: number, executors: number) => ({
    pool: 'a',
    lane: name,
    messages,
    executors,
  });
  const queue = (name: string, messages: number) => ({ ...lane(name, messages, 0), pool: '' });
  const latest = {
    ageMilliseconds: 2_000,
    milliseconds: 500,
    pools: [{ pool: 'a', waiting: 1, published: 2, running: 3, oldestSeconds: 4 }],
    lanes: [
      lane('interactive', 5, 6),
      lane('standby', 7, 8),
      lane('background', 9, 10),
      queue('quarantine', 11),
      queue('dead', 12),
    ],
  };
  exportBacklog(metrics, { latest } as never);
  const text = await metrics.prometheusText();
  for (const line of [
    'millrace_backlog_runs{pool="a",lane="background"} 3',
    'millrace_backlog_runs{pool="a",lane="interactive"} 12',
    'millrace_backlog_oldest_seconds{pool="a"} 6',
    'millrace_background_runs{pool="a",state="waiting"} 1',
    'millrace_background_runs{pool="a",state="published"} 2',
    'millrace_background_runs{pool="a",state="running"} 3',
    'millrace_lane_messages{pool="a",lane="background"} 9',
    'millrace_lane_executors{pool="a",lane="interactive"} 6',
    'millrace_quarantine_messages 11',
    'millrace_dead_letters 12',
    'millrace_backlog_age_seconds 2',
    'millrace_backlog_count_seconds 0.5',
  ])
    expect(text.split('\n')).toContain(line);
});

test('occurrences of schedules that do not fire are counted by reason', async () => {
  const metrics = createMetrics();
  measureFiring(metrics)({ fired: 1, missed: 2, overlapped: 3, delaysMilliseconds: [] } as never);
  const lines = (await metrics.prometheusText()).split('\n');
  for (const [reason, count] of Object.entries({ missed: 2, overlap: 3 }))
    expect(lines).toContain(`millrace_schedule_occurrences_skipped_total{reason="${reason}"} ${count}`);
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
