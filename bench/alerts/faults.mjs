import { connect } from 'amqplib';
import pg from 'pg';
import { fileURLToPath } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '@millrace/testing';
import { refuse, repeat } from './fault-parts.mjs';
import { reportFaults } from './report-faults.mjs';

/** @import { WatchedSystem } from './watched-system.mjs' */

/**
 * @typedef {object} AlertFault
 * @property {string} id
 * @property {string} title
 * @property {readonly string[]} alerts The alerts that must fire during the fault, and clear after its end.
 * @property {(system: WatchedSystem) => Promise<() => unknown>} begin Begins the fault; resolves to the function that ends it.
 */

const SHIFTED_CLOCK = fileURLToPath(new URL('../../chaos/shifted-clock.mjs', import.meta.url));

/** @type {readonly AlertFault[]} */
const faults = [
  {
    id: 'executor-killed',
    title: 'an executor is killed and not replaced',
    alerts: ['MillraceProcessUnreachable'],
    async begin({ system, scrape, forget }) {
      const executor = await system.startExecutor();
      scrape(executor);
      // Prometheus takes up to five seconds to find it.
      await pause(7_000);
      executor.kill();
      return () => forget(executor);
    },
  },
  {
    id: 'crash-loop',
    title: 'an executor is killed and started again, again and again',
    alerts: ['MillraceProcessRestarts'],
    async begin({ system, scrape, forget }) {
      const environment = { MILLRACE_EXECUTOR_HEALTH_PORT: String(await freePort()) };
      const first = await system.startExecutor('default', environment);
      let executor = first;
      scrape(first);
      const end = repeat(async () => {
        executor.kill();
        await executor.exited;
        executor = await system.startExecutor('default', environment);
        await pause(2_000);
      });
      return async () => {
        await end();
        forget(first);
        await executor.stop();
      };
    },
  },
  {
    id: 'database-down',
    title: 'PostgreSQL refuses connections',
    alerts: [
      ...['MillraceDatabaseUnavailable', 'MillraceBacklogNotCounted', 'MillraceRecordsLost'],
      'MillraceRunChangesUnread',
    ],
    async begin({ proxies, post, get, flows }) {
      // A stream of runs, whose gateway reads the changes.
      const endStream = repeat(() => get('/api/v1/runs/events'));
      // These runs are answered during the fault, and their records cannot be stored.
      const slow = { input_value: '[[delay=3000]] hello' };
      const callers = [1, 2].map(() => post(`/api/v1/run/${flows.chat.endpoint}`, slow));
      await pause(1_000);
      const end = refuse(proxies.database);
      return async () => {
        end();
        await Promise.all([...callers, endStream()]);
      };
    },
  },
  {
    id: 'broker-down',
    title: 'RabbitMQ refuses connections',
    alerts: ['MillraceBrokerUnavailable', 'MillraceRequestsFail', 'MillraceRequestsFailPersistently'],
    begin: async ({ proxies }) => refuse(proxies.broker),
  },
  {
    id: 'redis-down',
    title: 'Redis refuses connections',
    alerts: ['MillraceKeyValueUnavailable'],
    begin: async ({ proxies }) => refuse(proxies.keyValue),
  },
  {
    id: 'table-locked',
    title: 'a session locks the table of runs',
    alerts: ['MillraceDatabasePoolFull'],
    async begin({ services, get }) {
      const client = new pg.Client({ connectionString: services.urls.database });
      await client.connect();
      await client.query('BEGIN');
      await client.query('LOCK TABLE runs IN ACCESS EXCLUSIVE MODE');
      const lists = Array.from({ length: 40 }, () => repeat(() => get('/api/v1/runs')));
      return async () => {
        await client.query('ROLLBACK');
        await client.end();
        await Promise.all(lists.map((end) => end()));
      };
    },
  },
  {
    id: 'stalled-executor',
    title: 'an executor is frozen for 400 ms, again and again',
    alerts: ['MillraceEventLoopSlow'],
    async begin({ system }) {
      const [executor] = system.executors;
      if (executor === undefined) throw new Error('the system has no executor');
      const end = repeat(async () => {
        executor.child.kill('SIGSTOP');
        await pause(400);
        executor.child.kill('SIGCONT');
        await pause(60);
      });
      return end;
    },
  },
  {
    id: 'wrong-clock',
    title: 'the clock of an executor is ten minutes behind',
    alerts: ['MillraceClockSkew'],
    async begin({ system, scrape, forget }) {
      const executor = await system.startExecutor('default', {
        NODE_OPTIONS: `--import=${SHIFTED_CLOCK}`,
        CHAOS_CLOCK_SHIFT_MILLISECONDS: '-600000',
      });
      scrape(executor);
      return async () => {
        forget(executor);
        await executor.stop();
      };
    },
  },
  {
    id: 'empty-pool',
    title: 'webhooks for a pool without executors',
    alerts: ['MillracePoolWithoutExecutors', 'MillraceBacklogOld'],
    async begin({ system, post, flows }) {
      for (let count = 0; count < 5; count += 1)
        await post(`/api/v1/webhook/${flows.elsewhere.endpoint}`, { text: 'hello' });
      return async () => {
        await system.startExecutor('elsewhere');
      };
    },
  },
  {
    id: 'slow-runs',
    title: 'more slow runs than slots',
    alerts: ['MillracePoolSaturated'],
    begin: async ({ post, flows }) => {
      const callers = Array.from({ length: 12 }, () =>
        repeat(() => post(`/api/v1/run/${flows.chat.endpoint}`, { input_value: '[[delay=3000]] hello' })),
      );
      return () => Promise.all(callers.map((end) => end()));
    },
  },
  {
    id: 'foreign-queue',
    title: 'the queue of a lane is replaced by one that only another connection can use',
    alerts: ['MillraceQueueUnusable'],
    async begin({ system, services, prefix, scrape }) {
      const executor = await system.startExecutor('foreign');
      scrape(executor);
      const connection = await connect(services.urls.broker);
      const channel = await connection.createChannel();
      const queue = `${prefix}runs.background.foreign`;
      // The broker takes both in this order, before the executor declares its queue again.
      await Promise.all([channel.deleteQueue(queue), channel.assertQueue(queue, { exclusive: true })]);
      // The queue ends with its connection.
      return () => connection.close();
    },
  },
  {
    id: 'executors-lost',
    title: 'executors are killed during runs',
    alerts: ['MillraceAttemptsLost'],
    async begin({ system, services, prefix, post, flows }) {
      const end = repeat(async () => {
        // More slots than the executor that stays and is scraped, which repeats what they lose: on a slow machine, too, its
        // share of repeated attempts is large beside the load.
        const start = () => system.startExecutor('default', { MILLRACE_CONCURRENCY: '16' });
        const executors = await Promise.all([start(), start()]);
        const slow = { input_value: '[[delay=1200]] hello' };
        const asked = { prefer: 'respond-async' };
        await Promise.all(
          Array.from({ length: 24 }, () => post(`/api/v1/run/${flows.chat.endpoint}`, slow, asked)),
        );
        await pause(600);
        for (const executor of executors) executor.kill();
      });
      return async () => {
        await end();
        // A run whose executors were killed in every attempt is dead.
        await purge(services.urls.broker, `${prefix}runs.dead`);
      };
    },
  },
  {
    id: 'unreadable-job',
    title: 'a message that is no job',
    alerts: ['MillraceDeadLetters'],
    async begin({ services, prefix }) {
      const connection = await connect(services.urls.broker);
      const channel = await connection.createConfirmChannel();
      channel.sendToQueue(`${prefix}runs.background.default`, Buffer.from('no job'), { persistent: true });
      await channel.waitForConfirms();
      return async () => {
        await connection.close();
        await purge(services.urls.broker, `${prefix}runs.dead`);
      };
    },
  },
  {
    id: 'wrong-key',
    title: 'webhooks with an unknown key',
    alerts: ['MillraceWebhooksRefused'],
    begin: async ({ post, flows }) =>
      repeat(async () => {
        await post(
          `/api/v1/webhook/${flows.webhook.endpoint}`,
          { text: 'hello' },
          { 'x-api-key': 'sk-unknown' },
        );
        await pause(100);
      }),
  },
  ...reportFaults,
];

/**
 * Returns the faults with these ids, comma separated; all without.
 * @param {string | undefined} ids
 */
export function chooseFaults(ids) {
  if (ids === undefined) return faults;
  return ids.split(',').map((id) => {
    const fault = faults.find((one) => one.id === id.trim());
    if (fault === undefined)
      throw new Error(`no fault "${id.trim()}"; the faults are ${faults.map((one) => one.id).join(', ')}`);
    return fault;
  });
}

/**
 * @param {string} url
 * @param {string} queue
 */
async function purge(url, queue) {
  const connection = await connect(url);
  const channel = await connection.createChannel();
  await channel.purgeQueue(queue);
  await connection.close();
}
