import { setTimeout as pause } from 'node:timers/promises';
import { countOf } from './count-of.mjs';
import { require } from './evidence.mjs';
import { mountSmallDisk } from './small-disk.mjs';
import { refusalOf, withAdministrator } from './with-administrator.mjs';

/** @import { Client } from 'pg' */
/** @import { Fault, FaultSite } from '../fault.ts' */
/** @typedef {Awaited<ReturnType<typeof mountSmallDisk>>} Disk */

const DISK_FULL = '53100';
const SPARE_BYTES = 32 * 1024 * 1024;
/** The tables that grow with each run. All others are on another disk and stay writable. */
const TABLES = ['runs', 'run_effects', 'messages'];
const PROBE = `CREATE TABLE chaos_probe TABLESPACE chaos_disk AS
  SELECT repeat('x', 1000) AS filler FROM generate_series(1, 50000)`;

/** @type {Fault} */
export default {
  id: 'F18',
  title: "PostgreSQL's disk is full",
  mustHold:
    'lost 0; no run ends failed; disk full: 503 with Retry-After, never 500; 202 again ≤ 2 s after space is freed',
  async inject({ servers: { database }, note, isAlone }) {
    return withAdministrator(database, async (client) => {
      const tables = await tablesOf(client);
      const disk = await mountSmallDisk(2 * (await sizeOf(client, tables)) + SPARE_BYTES);
      try {
        await client.query(`CREATE TABLESPACE chaos_disk LOCATION '${disk.folder}'`);
        try {
          await move(client, tables, 'chaos_disk');
          return await holdDiskFull(client, disk, { note, milliseconds: isAlone ? 30_000 : 8_000 });
        } finally {
          disk.empty();
          await move(client, tables, 'pg_default');
          await client.query('DROP TABLESPACE chaos_disk');
        }
      } finally {
        await disk.remove();
      }
    });
  },
  limits: ({ figures, recovery }) => [
    { what: '503 without Retry-After', limit: 0, value: figures.unavailableWithoutRetryAfter },
    { what: 'answers 500', limit: 0, value: countOf(figures.statuses, ' 500') },
    { what: 'runs that ended failed', limit: 0, value: countOf(figures.ends, ' failed') },
    {
      what: 'first success after (ms)',
      limit: 2_000,
      value: recovery.firstSuccessMilliseconds,
      isTiming: true,
    },
  ],
};

/**
 * @param {Client} client
 * @param {Disk} disk
 * @param {{ readonly note: FaultSite['note'], readonly milliseconds: number }} options
 */
async function holdDiskFull(client, disk, { note, milliseconds }) {
  disk.fill();
  const refusal = await refusalOf(client, PROBE);
  require(refusal === DISK_FULL, `creating a table returned ${refusal}, not ${DISK_FULL}`);
  note(`the disk of ${TABLES.join(', ')} is full`);
  await pause(milliseconds);
  const still = await refusalOf(client, PROBE);
  require(still === DISK_FULL, `the disk had free space again: ${still}`);
  disk.empty();
  note('the disk has free space again');
  return { milliseconds };
}

/**
 * @param {Client} client
 * @returns {Promise<string[]>}
 */
async function tablesOf(client) {
  const { rows } = await client.query(
    `SELECT relname FROM pg_class WHERE relkind = 'r' AND relname = ANY ($1) AND relnamespace = 'public'::regnamespace`,
    [TABLES],
  );
  require(rows.length === TABLES.length, `the database does not have all of ${TABLES.join(', ')}`);
  return rows.map(({ relname }) => relname);
}

/**
 * @param {Client} client
 * @param {readonly string[]} tables
 * @returns {Promise<number>}
 */
async function sizeOf(client, tables) {
  const { rows } = await client.query(
    'SELECT sum(pg_table_size(name::regclass))::float8 AS bytes FROM unnest($1::text[]) AS name',
    [tables],
  );
  return rows[0].bytes;
}

/**
 * Moves tables with a short lock timeout, so that statements of the services do not queue behind its lock.
 * @param {Client} client
 * @param {readonly string[]} tables
 * @param {string} tablespace
 */
async function move(client, tables, tablespace) {
  for (const table of tables) {
    for (let tries = 1; ; tries += 1) {
      const refusal = await refusalOf(
        client,
        `SET lock_timeout = '500ms'; ALTER TABLE ${table} SET TABLESPACE ${tablespace}`,
      );
      if (refusal === 'none') break;
      require(tries < 20, `${table} could not be moved to ${tablespace}: ${refusal}`);
      await pause(100);
    }
  }
}
