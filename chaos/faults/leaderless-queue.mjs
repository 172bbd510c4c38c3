import { setTimeout as pause } from 'node:timers/promises';
import amqp from 'amqplib';
import { require } from './evidence.mjs';

/** @import { ChannelModel } from 'amqplib' */
/** @import { Fault } from '../fault.ts' */
/** @import { Load } from '../load/load.mjs' */
/** @import { Broker } from '../servers.mjs' */

const QUEUE = 'runs.background.default';
const MAXIMUM_ROUNDS = 6;
/** Services declare the queue again; a broker that is killed so soon after has not persisted its leader. */
const DECLARED_MILLISECONDS = 150;
const DECLARED_WITHIN_MILLISECONDS = 10_000;

/** @type {Fault<{ readonly rounds: number, readonly problem: string, readonly waitedRun: number }>} */
export default {
  id: 'F15',
  title: 'the queue of background runs is declared again just before the broker is killed, and has no leader',
  mustHold:
    'lost 0; runs with waiting callers continue while the queue has no leader; background runs resume without intervention within two minutes',
  async inject({ servers: { broker }, load, note }) {
    for (let round = 1; round <= MAXIMUM_ROUNDS; round += 1) {
      await deleteAndAwait(broker);
      await pause(DECLARED_MILLISECONDS);
      await broker.kill();
      await broker.start();
      const problem = await problemOf(broker);
      note(`round ${round}: ${problem ?? 'the queue has a leader'}`);
      if (problem === null) continue;
      const answer = await answeredRun(load);
      note(`a run with a waiting caller was answered with ${answer.status} after ${answer.milliseconds} ms`);
      return { rounds: round, problem, waitedRun: answer.status };
    }
    throw new Error(`the fault missed: the queue had a leader after each of ${MAXIMUM_ROUNDS} kills`);
  },
  limits: ({ evidence }) => [
    {
      what: 'runs with waiting callers not answered during the fault',
      limit: 0,
      value: evidence.waitedRun === 200 ? 0 : 1,
    },
  ],
};

/**
 * Deletes the queue and waits until a service has declared it again.
 * @param {Broker} broker
 */
async function deleteAndAwait(broker) {
  const connection = await amqp.connect(broker.url);
  try {
    const channel = await connection.createChannel();
    await channel.deleteQueue(QUEUE);
    const end = Date.now() + DECLARED_WITHIN_MILLISECONDS;
    while (!(await exists(connection))) {
      require(Date.now() < end, `no service declared ${QUEUE} again`);
      await pause(10);
    }
  } finally {
    await connection.close().catch(() => undefined);
  }
}

/** @param {ChannelModel} connection */
async function exists(connection) {
  const channel = await connection.createChannel();
  channel.on('error', () => undefined);
  try {
    await channel.checkQueue(QUEUE);
    await channel.close();
    return true;
  } catch {
    return false;
  }
}

/**
 * Resolves to the state that RabbitMQ reports for a queue without a leader; null if the queue has a leader.
 * @param {Broker} broker
 */
async function problemOf(broker) {
  const status = await broker.queues('quorum_status', QUEUE).catch((error) => error.message);
  if (/\bleader\b/.test(status)) return null;
  return /noproc|follower|timeout/.exec(status)?.[0] ?? null;
}

/**
 * Repeats a run until it succeeds, because the gateway can still be reconnecting to the broker.
 * @param {Load} load
 */
async function answeredRun(load) {
  const end = Date.now() + 30_000;
  for (;;) {
    const answer = await load.sendSlowRun(20);
    if (answer.status === 200 || Date.now() > end) return answer;
    await pause(250);
  }
}
