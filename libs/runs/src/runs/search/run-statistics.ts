import type { Database } from '@millrace/database';

/** A table is analyzed when it has this many times the pages that the planner knows. */
const GROWTH = 4;
/** Pages of the smallest table that is analyzed: scanning a smaller one costs as much as using an index. */
const MINIMUM_PAGES = 64;

// Only the owner of a table can analyze it. The number of pages is read from the file system.
const HAS_GROWN = {
  name: 'runs-have-grown',
  text: `SELECT pg_has_role(relowner, 'USAGE') AND pages >= ${MINIMUM_PAGES} AND pages > ${GROWTH} * relpages AS "hasGrown"
    FROM pg_class, LATERAL (SELECT pg_relation_size(oid) / current_setting('block_size')::int AS pages) AS size
    WHERE oid = to_regclass('runs')`,
};

/** A tenth of the usual sample, which takes some milliseconds: the size counts, and autovacuum reads more of it later. */
const SMALL_SAMPLE = 'SET LOCAL default_statistics_target = 10';

/**
 * Analyzes the runs when they have become many more since they were analyzed; resolves to whether it did. Autovacuum does
 * so once a minute at most. In the first minute of an installation, connections would keep plans that were made for an
 * empty table, and claims would scan all runs. An analyzed table makes connections plan again.
 */
export async function renewRunStatistics(database: Database): Promise<boolean> {
  const { rows } = await database.query<{ hasGrown: boolean }>(HAS_GROWN);
  if (rows[0]?.hasGrown !== true) return false;
  await database.transaction(async (connection) => {
    await connection.query({ text: SMALL_SAMPLE });
    // Locked: autovacuum or another process analyzes it.
    await connection.query({ text: 'ANALYZE (SKIP_LOCKED) runs' });
  });
  return true;
}
