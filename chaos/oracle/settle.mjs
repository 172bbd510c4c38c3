import { setTimeout as pause } from 'node:timers/promises';

const COUNTS = 3;
const GOING_ON = `SELECT count(*)::int AS count FROM runs WHERE status IN ('accepted', 'queued', 'running')`;

/** Waits until all runs have ended and the queues are empty; resolves to { goingOn, queues } then or at the timeout. */
export async function settle({ database, servers: { broker } }, { timeoutMilliseconds }) {
  const end = Date.now() + timeoutMilliseconds;
  for (;;) {
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
 */
export async function countAtBroker(broker) {
  const counts = [];
  for (let count = 0; count < COUNTS; count += 1) {
    if (count > 0) await pause(1_000);
    counts.push(await countOnce(broker));
  }
  const smallest = (member) => Math.min(...counts.map((count) => count[member]));
  return { connections: smallest('connections'), channels: smallest('channels') };
}

async function countOnce(broker) {
  const list = async (what) =>
    JSON.parse(await broker.control('--silent', '--formatter', 'json', what, 'user')).filter(
      ({ user }) => user === 'chaos',
    ).length;
  return { connections: await list('list_connections'), channels: await list('list_channels') };
}

async function listQueues(broker) {
  return JSON.parse(
    await broker.control('--silent', '--formatter', 'json', 'list_queues', 'name', 'messages'),
  );
}
