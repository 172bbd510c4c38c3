import { setTimeout as pause } from 'node:timers/promises';

const PATIENCE_MILLISECONDS = 120_000;
/** A run that waits longer than this is backlog. */
const BACKLOG = `SELECT count(*)::int AS count FROM runs
  WHERE status IN ('accepted', 'queued') AND accepted_at < now() - interval '2 seconds'`;

/** Resolves once a webhook and a waited-for run succeed; rejects when that takes two minutes. */
export async function recoveryOf(load) {
  const end = Date.now() + PATIENCE_MILLISECONDS;
  while (!(await load.probe().catch(() => false))) {
    if (Date.now() > end) throw new Error('no success within two minutes');
    await pause(200);
  }
}

/**
 * How long after a heal it takes until a webhook and a waited-for run succeed, and until no run waits:
 * { firstSuccessMilliseconds, backlogEmptyMilliseconds }, null for what does not come within two minutes.
 */
export async function measureRecovery({ load, database, signal }) {
  const healed = Date.now();
  const until = async (ask) => {
    while (Date.now() - healed < PATIENCE_MILLISECONDS && !signal.aborted) {
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
