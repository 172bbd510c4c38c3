import { setTimeout as pause } from 'node:timers/promises';

/** @import { Pool } from 'pg' */
/** @import { Broker } from '../servers.mjs' */
/** @import { AtBroker } from './judge.mjs' */

/**
 * @typedef {{ readonly name: string, messages: number }} Queue
 * @typedef {{ readonly goingOn: number, readonly queues: readonly Queue[] }} Settled
 */

const COUNTS = 3;
const GOING_ON = `SELECT count(*)::int AS count FROM runs WHERE status IN ('accepted', 'queued', 'running', 'suspended')`;
/** Questions without an answer do not wait for the rest of their time; the answers of people come sooner. */
const HURRY = `UPDATE human_requests SET due_at = now() + interval '1 second'
  WHERE decided_at IS NULL AND due_at > now() + interval '1 second' AND paused_at < now() - interval '20 seconds'`;

/**
 * Waits until all runs have ended, also those that wait for a person, and the queues are empty; resolves to { goingOn, queues } then or at the timeout.
 * @param {{ readonly database: Pool, readonly servers: { readonly broker: Broker } }} installation
 * @param {{ readonly timeoutMilliseconds: number }} options
 * @returns {Promise<Settled>}
 */
export async function settle({ database, servers: { broker } }, { timeoutMilliseconds }) {
  const end = Date.now() + timeoutMilliseconds;
  for (;;) {
    await database.query(HURRY);
    const { rows } = await database.query(GOING_ON);
    const goingOn = rows[0].count;
    const queues = goingOn > 0 && Date.now() < end ? [] : await listQueues(broker);
    const isSettled = goingOn === 0 && queues.every(({ messages }) => messages === 0);
    if (isSettled || Date.now() > end) return { goingOn, queues };
    await pause(1_000);
  }
}

/**
 * Resolves to the number of connections and channels of the services at the broker: { connections, channels }. Services
 * open channels for single questions, too; the smallest numbers of several counts are those that last.
 * @param {Broker} broker
 * @returns {Promise<AtBroker>}
 */
export async function countAtBroker(broker) {
  /** @type {AtBroker[]} */
  const counts = [];
  for (let count = 0; count < COUNTS; count += 1) {
    if (count > 0) await pause(1_000);
    counts.push(await countOnce(broker));
  }
  /** @param {'connections' | 'channels'} member */
  const smallest = (member) => Math.min(...counts.map((count) => count[member]));
  return { connections: smallest('connections'), channels: smallest('channels') };
}

/** @param {Broker} broker */
async function countOnce(broker) {
  /**
   * @param {string} what
   * @returns {Promise<number>}
   */
  const list = async (what) =>
    JSON.parse(await broker.control('--silent', '--formatter', 'json', what, 'user')).filter(
      (/** @type {{ user: string }} */ { user }) => user === 'chaos',
    ).length;
  return { connections: await list('list_connections'), channels: await list('list_channels') };
}

/**
 * @param {Broker} broker
 * @returns {Promise<Queue[]>}
 */
async function listQueues(broker) {
  return JSON.parse(
    await broker.control('--silent', '--formatter', 'json', 'list_queues', 'name', 'messages'),
  );
}
