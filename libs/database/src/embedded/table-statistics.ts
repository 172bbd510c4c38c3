import type { Logger } from '@millrace/service';
import { DatabaseUnavailableError } from '../database';
import type { Database } from '../database';

const INTERVAL_MILLISECONDS = 60_000;
/** Tables of one round: each occupies the one connection while it is read. */
const MAXIMUM_TABLES = 4;

/** Tables that changed much since they were analyzed, or are large and never were. */
const STALE = {
  name: 'statistics-stale',
  text: `SELECT format('%I.%I', counted.schemaname, counted.relname) AS name
    FROM pg_stat_user_tables AS counted JOIN pg_class ON pg_class.oid = counted.relid
    WHERE counted.n_mod_since_analyze > 500 + 0.2 * greatest(pg_class.reltuples, 0)
      OR (pg_class.reltuples < 0 AND pg_relation_size(counted.relid) > 1048576)
    ORDER BY counted.n_mod_since_analyze DESC LIMIT ${MAXIMUM_TABLES}`,
};

// A tenth of the usual sample: 3,000 rows, which take some milliseconds.
const SMALL_SAMPLE = 'SET LOCAL default_statistics_target = 10';

/**
 * Keeps the planner's statistics of an embedded database, in which no autovacuum runs. Without them the planner takes each
 * table for a small one and reads all rows of a flow to sort them, where an index has them in order.
 */
export class TableStatistics {
  readonly #logger: Logger;
  readonly #timer: NodeJS.Timeout;
  #isBusy = false;

  constructor(database: Database, logger: Logger, intervalMilliseconds = INTERVAL_MILLISECONDS) {
    this.#logger = logger;
    this.#timer = setInterval(() => void this.#renew(database), intervalMilliseconds).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #renew(database: Database): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      const { rows } = await database.query<{ name: string }>(STALE);
      for (const { name } of rows)
        await database.transaction(async (connection) => {
          await connection.query({ text: SMALL_SAMPLE });
          await connection.query({ text: `ANALYZE ${name}` });
        });
    } catch (error) {
      // Closed, or busy with other statements: the next round comes.
      if (!(error instanceof DatabaseUnavailableError))
        this.#logger.warn({ error }, 'table statistics could not be renewed: lists can be slow');
    } finally {
      this.#isBusy = false;
    }
  }
}
