import { setTimeout as pause } from 'node:timers/promises';
import { countOf } from './count-of.mjs';
import { require } from './evidence.mjs';
import { refusalOf, withAdministrator } from './with-administrator.mjs';

/** @import { Client } from 'pg' */
/** @import { PrivatePostgres } from '../../tools/services/private-postgres.mjs' */
/** @import { Fault, FaultSite } from '../fault.ts' */

/** The SQLSTATE of a write to a read-only server. */
const READ_ONLY = '25006';
const OTHERS = `FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`;

/** @type {Fault} */
export default {
  id: 'F17',
  // A pooler keeps its connections to the server, independent of its clients.
  isWithoutPooler: true,
  title: 'PostgreSQL fails over to a server that is still read-only',
  mustHold:
    'lost 0; no run ends failed; read-only: 503 with Retry-After, never 500; 202 again ≤ 5 s after new connections are writable, although connections opened during the outage stay read-only',
  async inject({ servers: { database }, note, signal, isAlone }) {
    const evidence = { times: 0, connectionsEnded: 0, connectionsLeftReadOnly: 0 };
    for (let number = 0; number < (isAlone ? 3 : 1) && !signal.aborted; number += 1) {
      if (number > 0) await pause(5_000);
      const { ended, left } = await failOver(database, note, isAlone ? 10_000 : 6_000);
      evidence.times += 1;
      evidence.connectionsEnded += ended;
      evidence.connectionsLeftReadOnly += left;
    }
    return evidence;
  },
  limits: ({ figures, recovery }) => [
    { what: '503 without Retry-After', limit: 0, value: figures.unavailableWithoutRetryAfter },
    { what: 'answers 500', limit: 0, value: countOf(figures.statuses, ' 500') },
    { what: 'runs that ended failed', limit: 0, value: countOf(figures.ends, ' failed') },
    {
      what: 'first success after (ms)',
      limit: 5_000,
      value: recovery.firstSuccessMilliseconds,
      isTiming: true,
    },
  ],
};

/**
 * Ends all connections and makes new ones read-only. Then new connections are writable again, while those opened in the
 * meantime stay read-only: a service that keeps them cannot write again.
 * @param {PrivatePostgres} database
 * @param {FaultSite['note']} note
 * @param {number} milliseconds
 * @returns {Promise<{ readonly ended: number, readonly left: number }>}
 */
function failOver(database, note, milliseconds) {
  return withAdministrator(database, async (client) => {
    /** @param {'on' | 'off'} state */
    const setReadOnlyDefault = (state) =>
      client.query(
        `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = ${state}', current_database()); END $$`,
      );
    await setReadOnlyDefault('on');
    try {
      const { rows } = await client.query(`SELECT count(pg_terminate_backend(pid))::int AS ended ${OTHERS}`);
      const [{ ended }] = rows;
      require(ended > 0, 'the database had no connection');
      note(`${ended} connections were closed; new ones are read-only`);
      await pause(milliseconds);
      await withAdministrator(database, requireReadOnly);
      const left = (await client.query(`SELECT count(*)::int AS count ${OTHERS}`)).rows[0].count;
      require(left > 0, 'no service reconnected to the read-only database');
      note(`new connections are writable; ${left} connections stay read-only`);
      return { ended, left };
    } finally {
      await setReadOnlyDefault('off');
    }
  });
}

/** @param {Client} client */
async function requireReadOnly(client) {
  const refusal = await refusalOf(client, 'CREATE TABLE chaos_probe (id integer)');
  require(refusal === READ_ONLY, `a write was answered with ${refusal}, not ${READ_ONLY}`);
}
