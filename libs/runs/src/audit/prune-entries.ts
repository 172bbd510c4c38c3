import type { Database } from '@millrace/database';

// One process at a time in each installation that shares the database.
const TRY_LOCK = {
  name: 'audit-prune-turn',
  text: `SELECT pg_try_advisory_xact_lock(hashtextextended(current_schema() || ' prunes audit', 0)) AS "isOurs"`,
};

// Times do not decrease along the chain, so that old entries are its beginning. Without old entries nothing is locked.
const MOVE_ANCHOR = {
  name: 'audit-prune-anchor',
  text: `UPDATE audit_chain SET pruned_position = last.position, pruned_hash = last.hash, pruned_at = now()
    FROM (
      SELECT position, hash FROM (
        SELECT position, hash FROM audit_entries WHERE at < now() - $1 * interval '1 day' ORDER BY position LIMIT $2
      ) AS old ORDER BY position DESC LIMIT 1
    ) AS last
    RETURNING audit_chain.pruned_position AS position`,
};

const DELETE = { name: 'audit-prune', text: `DELETE FROM audit_entries WHERE position <= $1` };

export interface AuditPruneLimits {
  readonly retentionDays: number;
  /** Maximum number of entries in one call. */
  readonly limit: number;
}

/** See AuditLog.prune. */
export async function pruneEntries(
  database: Database,
  { retentionDays, limit }: AuditPruneLimits,
): Promise<number> {
  return database.transaction(async (connection) => {
    const lock = await connection.query<{ isOurs: boolean }>(TRY_LOCK);
    if (lock.rows[0]?.isOurs !== true) return 0;
    const { rows } = await connection.query<{ position: number }>({
      ...MOVE_ANCHOR,
      values: [retentionDays, limit],
    });
    const [anchor] = rows;
    if (anchor === undefined) return 0;
    return (await connection.query({ ...DELETE, values: [anchor.position] })).rowCount;
  });
}
