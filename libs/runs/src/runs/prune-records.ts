import type { Database } from '@millrace/database';

// One process at a time in each installation that shares the database.
const TRY_LOCK = {
  name: 'prune-turn',
  text: `SELECT pg_try_advisory_xact_lock(hashtextextended(current_schema() || ' prunes records', 0)) AS "isOurs"`,
};

// Flow by flow, because the index orders runs by flow and time.
const PRUNE_RUNS = {
  name: 'prune-runs',
  text: `DELETE FROM runs WHERE id = ANY(ARRAY(
      SELECT old.id FROM flows CROSS JOIN LATERAL (
        SELECT id FROM runs WHERE runs.flow_id = flows.id AND runs.accepted_at < now() - $1 * interval '1 day'
          AND runs.finished_at < now() - $1 * interval '1 day'
        ORDER BY runs.accepted_at LIMIT $2
      ) AS old LIMIT $2))`,
};

// A version is old once a newer one has existed for a day: until then an interactive run, which has no row, can still
// need it.
const PRUNE_VERSIONS = {
  name: 'prune-flow-versions',
  text: `DELETE FROM flow_versions USING (
      SELECT old.flow_id, old.version FROM flow_versions AS old
      JOIN flows ON flows.id = old.flow_id AND old.version < flows.version
      WHERE EXISTS (
          SELECT FROM flow_versions AS next WHERE next.flow_id = old.flow_id AND next.version > old.version
            AND next.created_at < now() - interval '1 day')
        AND NOT EXISTS (
          SELECT FROM runs WHERE runs.flow_id = old.flow_id AND runs.flow_version = old.version
            AND runs.next_sweep_at IS NOT NULL)
      LIMIT $1
    ) AS unneeded
    WHERE flow_versions.flow_id = unneeded.flow_id AND flow_versions.version = unneeded.version`,
};

export interface PruneLimits {
  /** How long ended runs are kept. */
  readonly retentionDays: number;
  /** Maximum number of rows of each kind in one call. */
  readonly limit: number;
}

/** Numbers of deleted rows. */
export interface Pruned {
  readonly runs: number;
  readonly flowVersions: number;
}

/** See RunStore.prune. */
export async function pruneRecords(
  database: Database,
  { retentionDays, limit }: PruneLimits,
): Promise<Pruned> {
  return database.transaction(async (connection) => {
    const lock = await connection.query<{ isOurs: boolean }>(TRY_LOCK);
    if (lock.rows[0]?.isOurs !== true) return { runs: 0, flowVersions: 0 };
    const runs = await connection.query({ ...PRUNE_RUNS, values: [retentionDays, limit] });
    const versions = await connection.query({ ...PRUNE_VERSIONS, values: [limit] });
    return { runs: runs.rowCount, flowVersions: versions.rowCount };
  });
}
