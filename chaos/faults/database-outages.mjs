import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { require, requireClosed, requireEnded } from './evidence.mjs';

/** @import { PrivatePostgres } from '../../tools/services/private-postgres.mjs' */
/** @import { Fault, FaultSite } from '../fault.ts' */

/** @type {Fault} */
export default {
  id: 'F9',
  title: 'PostgreSQL is crashed and restarted at once, crashed and restarted later, loses a backend process',
  mustHold:
    'lost 0; every 202 is stored; 202 again ≤ 2 s after a restart; during the outage: 503 with Retry-After',
  async inject({ servers: { database }, random, note, isAlone }) {
    /** @type {Readonly<Record<string, () => Promise<void>>>} */
    const ways = {
      restart: () => crash(database, note, 0),
      away: () => crash(database, note, isAlone ? 20_000 : 8_000),
      backend: () => killBackend(database, note),
    };
    const chosen = isAlone ? Object.keys(ways) : random.shuffled(Object.keys(ways)).slice(0, 2);
    for (const way of chosen) {
      await ways[way]();
      await pause(2_000);
    }
    return { ways: chosen };
  },
  limits: ({ figures, recovery }) => [
    { what: '503 without Retry-After', limit: 0, value: figures.unavailableWithoutRetryAfter },
    {
      what: 'first success after (ms)',
      limit: 2_000,
      value: recovery.firstSuccessMilliseconds,
      isTiming: true,
    },
  ],
};

/**
 * @param {PrivatePostgres} database
 * @param {FaultSite['note']} note
 * @param {number} milliseconds
 */
async function crash(database, note, milliseconds) {
  const pid = database.pid();
  await database.crash();
  try {
    await requireEnded(pid);
    await requireClosed(database.url);
    note(`PostgreSQL (${pid}) is stopped`);
    await pause(milliseconds);
  } finally {
    await database.start();
  }
  note('PostgreSQL is running again');
}

/**
 * Kills a backend process. The server then ends all others and recovers, because shared memory can be corrupt.
 * @param {PrivatePostgres} database
 * @param {FaultSite['note']} note
 */
async function killBackend(database, note) {
  const client = new pg.Client({ connectionString: database.url });
  client.on('error', () => undefined);
  await client.connect();
  const { rows } = await client.query(
    `SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() LIMIT 1`,
  );
  require(rows.length === 1, 'the database had no connection');
  process.kill(rows[0].pid, 'SIGKILL');
  await requireEnded(rows[0].pid);
  note(`a backend of PostgreSQL (${rows[0].pid}) was killed`);
  await client.end().catch(() => undefined);
}
