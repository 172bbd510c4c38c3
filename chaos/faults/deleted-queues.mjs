import { setTimeout as pause } from 'node:timers/promises';
import amqp from 'amqplib';
import { require } from './evidence.mjs';

/** @import { ChannelModel } from 'amqplib' */
/** @import { Fault } from '../fault.ts' */

/** No service consumes `runs.dead`, but services declare it. */
const QUEUES = ['runs.background.default', 'runs.interactive.default', 'runs.quarantine', 'runs.dead'];
const BACK_WITHIN_MILLISECONDS = 30_000;

/** @type {Fault} */
export default {
  id: 'F16',
  title: 'the queues of runs are deleted, one after the other',
  mustHold: 'lost 0; each queue is declared again within half a minute, runs.dead too',
  async inject({ servers: { broker }, note, signal, isAlone }) {
    const evidence = { deleted: 0, longestMilliseconds: 0 };
    const connection = await amqp.connect(broker.url);
    try {
      for (let round = 0; round < (isAlone ? 3 : 1) && !signal.aborted; round += 1)
        for (const queue of QUEUES) {
          const milliseconds = await deleteAndAwait(connection, queue);
          note(`${queue} was deleted and declared again after ${milliseconds} ms`);
          evidence.deleted += 1;
          evidence.longestMilliseconds = Math.max(evidence.longestMilliseconds, milliseconds);
        }
    } finally {
      await connection.close().catch(() => undefined);
    }
    return evidence;
  },
  limits: () => [],
};

/**
 * @param {ChannelModel} connection
 * @param {string} queue
 */
async function deleteAndAwait(connection, queue) {
  const channel = await connection.createChannel();
  await channel.deleteQueue(queue);
  await channel.close();
  const began = Date.now();
  let misses = 0;
  while (!(await exists(connection, queue))) {
    misses += 1;
    require(Date.now() - began < BACK_WITHIN_MILLISECONDS, `${queue} was not declared again`);
    await pause(20);
  }
  require(misses > 0 || Date.now() - began < 1_000, `${queue} was never missing`);
  return Date.now() - began;
}

/**
 * @param {ChannelModel} connection
 * @param {string} queue
 */
async function exists(connection, queue) {
  const channel = await connection.createChannel();
  channel.on('error', () => undefined);
  try {
    await channel.checkQueue(queue);
    await channel.close();
    return true;
  } catch {
    return false;
  }
}
