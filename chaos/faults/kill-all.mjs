import { setTimeout as pause } from 'node:timers/promises';
import { requireClosed, requireEnded } from './evidence.mjs';

/** @import { FaultSite } from '../fault.ts' */

/** Queues that were declared again must be on disk before the next kill. */
const BROKER_EVERY_MILLISECONDS = 20_000;

/**
 * Kills an executor, all ingest services, the database and the broker in turn until `isOver`, and each at least once. Resolves
 * to the kills by kind.
 * @param {Pick<FaultSite, 'executors' | 'ingests' | 'servers' | 'random' | 'note' | 'signal'>} site
 * @param {() => boolean} isOver
 */
export async function killAll({ executors, ingests, servers, random, note, signal }, isOver) {
  const { broker, database } = servers;
  let brokerAt = -Infinity;
  /** @type {Readonly<Record<string, () => Promise<void>>>} */
  const ways = {
    executor: async () => {
      const victim = random.pick(executors);
      await requireEnded(await victim.signal('SIGKILL'));
      await victim.up();
    },
    ingests: async () => {
      for (const pid of await Promise.all(ingests.map((ingest) => ingest.signal('SIGKILL'))))
        await requireEnded(pid);
      await Promise.all(ingests.map((ingest) => ingest.up()));
    },
    database: async () => {
      const pid = database.pid();
      await database.crash();
      await requireEnded(pid);
      await requireClosed(database.url);
      await database.start();
    },
    broker: async () => {
      await pause(Math.max(0, brokerAt + BROKER_EVERY_MILLISECONDS - Date.now()));
      const pid = broker.pid();
      await broker.kill();
      await requireEnded(pid);
      await broker.start();
      brokerAt = Date.now();
    },
  };
  const names = Object.keys(ways);
  /** @type {Record<string, number>} */
  const kills = Object.fromEntries(names.map((name) => [name, 0]));
  for (let number = 0; (number < names.length || !isOver()) && !signal.aborted; number += 1) {
    const name = names[number % names.length];
    await ways[name]();
    kills[name] += 1;
    await pause(random.integer(200, 1_500));
  }
  note(`killed ${names.map((name) => `${name}: ${kills[name]}`).join(', ')}`);
  return kills;
}
