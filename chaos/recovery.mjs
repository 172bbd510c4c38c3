import { setTimeout as pause } from 'node:timers/promises';

/** @import { Load } from './load/load.mjs' */
/** @import { Site } from './fault.ts' */

/**
 * @typedef {object} Recovery Null for what took more than two minutes.
 * @property {number | null} firstSuccessMilliseconds
 * @property {number | null} backlogEmptyMilliseconds
 */

const WAIT_TIMEOUT_MILLISECONDS = 120_000;
/** Counts runs that have waited for more than two seconds since their request or the answer of a person. */
const BACKLOG = `SELECT count(*)::int AS count FROM runs
  WHERE status IN ('accepted', 'queued') AND accepted_at < now() - interval '2 seconds' AND NOT EXISTS (
    SELECT FROM human_requests WHERE run_id = runs.id AND decided_at > now() - interval '2 seconds')`;

/**
 * Resolves when a webhook and a run with a waiting caller succeed; rejects after two minutes.
 * @param {Load} load
 */
export async function recoveryOf(load) {
  const end = Date.now() + WAIT_TIMEOUT_MILLISECONDS;
  while (!(await load.probe().catch(() => false))) {
    if (Date.now() > end) throw new Error('no success within two minutes');
    await pause(200);
  }
}

/**
 * Measures how long after a heal a webhook and a run with a waiting caller succeed, and no run waits. Resolves to {
 * firstSuccessMilliseconds, backlogEmptyMilliseconds }, null for what takes more than two minutes.
 * @param {Pick<Site, 'load' | 'database' | 'signal'>} site
 * @returns {Promise<Recovery>}
 */
export async function measureRecovery({ load, database, signal }) {
  const healed = Date.now();
  /** @param {() => Promise<boolean>} ask */
  const until = async (ask) => {
    while (Date.now() - healed < WAIT_TIMEOUT_MILLISECONDS && !signal.aborted) {
      if (await ask().catch(() => false)) return Date.now() - healed;
      await pause(200);
    }
    return null;
  };
  return {
    firstSuccessMilliseconds: await until(() => load.probe()),
    backlogEmptyMilliseconds: await until(async () => (await database.query(BACKLOG)).rows[0].count === 0),
  };
}
