import { setImmediate as nextTurn } from 'node:timers/promises';
import { openMigratedDatabase } from '@millrace/database/testing';
import { RunPublisher } from '@millrace/dispatch';
import { brokerNames } from '@millrace/messages';
import { openMessageBus } from '@millrace/messaging';
import { RunStore } from '@millrace/runs';
import { createLogger } from '@millrace/service';
import { until } from '@millrace/service/testing';
import { forAllTests } from '@millrace/testing';
import { openTestIngest } from '../testing/test-ingest';
import { openMemoryStore } from '@millrace/key-value';
import { shareRunLimits } from '@millrace/access';
import { FairScheduler } from './fair-scheduler';

const logger = createLogger({ name: 'fair-scheduler-test', level: 'silent' });
/** All but the timer of the scheduler. */
const REAL_TIMERS = [
  'Date',
  'performance',
  'nextTick',
  'queueMicrotask',
  'setImmediate',
  'setInterval',
] as const;

const ingest = forAllTests(() =>
  openTestIngest({
    settings: { MILLRACE_USER_QUEUE_SHARE: 3, MILLRACE_USER_BACKLOG_LIMIT: 5 },
  }),
);

const post = (flow: string) => fetch(`${ingest.url}/${flow}`, { method: 'POST', body: '{}' });
const postMany = async (flow: string, count: number) => {
  const ids: string[] = [];
  for (let sent = 0; sent < count; sent += 1) {
    const answer = await post(flow);
    expect(answer.status).toBe(202);
    ids.push(((await answer.json()) as { run_id: string }).run_id);
  }
  return ids;
};
const published = (ids: readonly string[]) =>
  ids.filter((id) => ingest.jobs.some(({ runId }) => runId === id));
const end = async (runId: string) => {
  await ingest.runs.claim([{ runId, worker: 'one', redelivered: false }]);
  const nothing = { result: '{}', failure: null, messages: [] };
  await ingest.runs.complete([{ runId, attempt: 1, status: 'succeeded', ...nothing }]);
};

test('runs of a user beyond the share wait in the backlog and do not delay other users', async () => {
  const flooding = await ingest.newUser('flooding');
  const floodingFlow = await ingest.newFlow('crowd', { webhookAuth: 'off' }, flooding);
  await ingest.newFlow('calm', { webhookAuth: 'off' });
  const ids = await postMany(floodingFlow, 6);
  const [other = ''] = await postMany('calm', 1);
  await until(() => published([other]).length === 1);
  await until(() => published(ids).length === 3);
  const [last = ''] = ids.slice(-1);
  expect(await ingest.runs.find(flooding, last)).toMatchObject({ status: 'accepted' });
  for (const id of published(ids)) await end(id);
  await until(() => published(ids).length === 6);
  await until(async () => (await ingest.runs.find(flooding, last))?.status === 'queued');
  expect(ingest.jobs.filter(({ runId }) => ids.includes(runId))).toHaveLength(6);
  const metrics = await ingest.metrics.prometheusText();
  expect(metrics).toMatch(/^millrace_runs_waited_total [1-9]/m);
  expect(metrics).toMatch(/^millrace_webhooks_accepted_total 7$/m);
});

test('refuses webhooks beyond the backlog limit until runs have been released', async () => {
  const userId = await ingest.newUser('limited');
  const flow = await ingest.newFlow('limited', { webhookAuth: 'off' }, userId);
  const ids = await postMany(flow, 8);
  let answer = await post(flow);
  for (let tries = 0; tries < 10 && answer.status === 202; tries += 1) answer = await post(flow);
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '30']);
  expect(await answer.json()).toEqual({
    detail: 'Too many waiting background runs: the limit is 5 per user.',
  });
  await until(() => published(ids).length === 3);
  for (const id of published(ids)) await end(id);
  await until(() => published(ids).length === 6);
  await until(async () => (await post(flow)).status === 202);
});

test('a flow with a concurrency limit releases its runs one at a time', async () => {
  await ingest.newFlow('one-by-one', { webhookAuth: 'off', concurrency: 1 }, await ingest.newUser('single'));
  const ids = await postMany('one-by-one', 3);
  for (let released = 1; released <= 3; released += 1) {
    await until(() => published(ids).length === released);
    await end(published(ids).at(-1) ?? '');
  }
});

test('looks for a backlog once a second while none is known', async () => {
  const database = await openMigratedDatabase(logger);
  const bus = await openMessageBus({ url: undefined, logger, name: 'fair-scheduler-test' });
  const runs = new RunStore({ database });
  const publisher = new RunPublisher({ bus, names: brokerNames(), runs, logger, onFailure: () => undefined });
  const rounds = jest.spyOn(runs, 'releaseBacklog');
  const share = shareRunLimits({ keyValue: openMemoryStore(), logger });
  const scheduler = new FairScheduler({ runs, bus, publisher, logger, publishedPerUser: 1, share });
  jest.useFakeTimers({ doNotFake: [...REAL_TIMERS] });
  try {
    scheduler.start();
    for (let round = 0; round < 3; round += 1) {
      jest.advanceTimersByTime(999);
      expect(rounds).toHaveBeenCalledTimes(round);
      jest.advanceTimersByTime(1);
      expect(rounds).toHaveBeenCalledTimes(round + 1);
      expect(await rounds.mock.results[round]?.value).toEqual({ runs: [], hasMore: false });
      await nextTurn();
    }
  } finally {
    jest.useRealTimers();
    await scheduler.close();
    await publisher.close();
    await bus.close();
    await database.close();
  }
});
