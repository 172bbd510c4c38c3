import type { Queryable } from '@millrace/database';

/**
 * How services of earlier releases name their connections; later ones name theirs `millrace-gateway.2-…`. `millrace rewrite` needs
 * whole texts, too.
 */
export const EARLIER_SERVICES = '^millrace-(gateway|ingest|executor|standalone|single-run|rewrite)(-|$| )';

/** Such services can be started again at any time. */
export const CHECK_MILLISECONDS = 10_000;

const COUNT_EARLIER = {
  name: 'text-templates-readers',
  text: `SELECT count(*)::int AS services FROM pg_stat_activity
    WHERE datname = current_database() AND application_name ~ '${EARLIER_SERVICES}'`,
};

/** Returns the number of connections of services that cannot read what releases before 0.2 did not write. */
export async function countEarlierServices(database: Queryable): Promise<number> {
  const { rows } = await database.query<{ services: number }>(COUNT_EARLIER);
  return rows[0]?.services ?? 0;
}

/** Looks for services of earlier releases, each ten seconds at most. */
export class EarlierServices {
  readonly #database: Queryable;
  #askedAt = -Infinity;
  #areConnected: Promise<boolean> = Promise.resolve(true);

  constructor(database: Queryable) {
    this.#database = database;
  }

  areConnected(): Promise<boolean> {
    const now = performance.now();
    if (now - this.#askedAt > CHECK_MILLISECONDS) {
      this.#askedAt = now;
      this.#areConnected = countEarlierServices(this.#database).then((count) => count > 0);
      this.#areConnected.catch(() => {
        this.#askedAt = -Infinity;
      });
    }
    return this.#areConnected;
  }
}
