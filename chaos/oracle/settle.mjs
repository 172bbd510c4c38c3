import { setTimeout as pause } from 'node:timers/promises';

const GOING_ON = `SELECT count(*)::int AS count FROM runs WHERE status IN ('accepted', 'queued', 'running')`;

/** Waits until no run goes on and the queues are empty; resolves to { goingOn, queues } as they are then or too late. */
export async function settle({ database, servers: { broker } }, { patienceMilliseconds }) {
  const end = Date.now() + patienceMilliseconds;
  for (;;) {
    const { rows } = await database.query(GOING_ON);
    const goingOn = rows[0].count;
    const queues = goingOn > 0 && Date.now() < end ? [] : await listQueues(broker);
    const isSettled = goingOn === 0 && queues.every(({ messages }) => messages === 0);
    if (isSettled || Date.now() > end) return { goingOn, queues };
    await pause(1_000);
  }
}

/** How many connections and channels the services hold at the broker: { connections, channels }. */
export async function countAtBroker(broker) {
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
