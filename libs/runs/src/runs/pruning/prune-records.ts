import type { Database } from '@millrace/database';
import { pruneSpend } from '../../budgets/spend';
import { pruneUsage } from '../../usage/usage-store';
import { pruneUnrecorded } from '../unrecorded-runs';
import { retentionOfFlow } from '../../flows/retention-of-flow';
import { AdaptiveBatch } from './adaptive-batch';
import { pruneFlowVersions } from './prune-flow-versions';
import type { FlowVersionKey } from './prune-flow-versions';

// One process at a time in each installation that shares the database. Without an index the planner would read all runs
// to find a few.
const TRY_LOCK = {
  name: 'prune-turn',
  text: `SELECT pg_try_advisory_xact_lock(hashtextextended(current_schema() || ' prunes records', 0)) AS "isOurs",
    set_config('jit', 'off', true), set_config('enable_seqscan', 'off', true)`,
};

// Flow by flow, because the index orders runs by flow and time. A run that another session locks is left to a later round.
const PRUNE_RUNS = {
  name: 'prune-runs',
  text: `DELETE FROM runs WHERE id = ANY(ARRAY(
      SELECT old.id FROM flows CROSS JOIN LATERAL (
        SELECT now() - coalesce(${retentionOfFlow('runs')}, $1::int) * interval '1 day' AS start
      ) AS kept CROSS JOIN LATERAL (
        SELECT id FROM runs WHERE runs.flow_id = flows.id AND runs.accepted_at < kept.start
          AND runs.finished_at < kept.start
        ORDER BY runs.accepted_at LIMIT $2 FOR UPDATE SKIP LOCKED
      ) AS old LIMIT $2))`,
};

export interface PruneLimits {
  /** How long ended runs are kept, unless their flow says otherwise. */
  readonly retentionDays: number;
  /** The number of newest versions of each flow that are kept, whether runs refer to them or not. */
  readonly keptFlowVersions: number;
  /** Maximum number of runs to delete in one call. */
  readonly limit: number;
  /** Maximum number of flow versions to inspect in one call. */
  /** 0 inspects none. */
  readonly versionLimit: number;
  /** Inspects the flow versions behind this one; the first ones unless given. */
  readonly afterVersion?: FlowVersionKey | null;
}

/** Numbers of deleted rows. */
export interface Pruned {
  readonly runs: number;
  readonly flowVersions: number;
  readonly inspectedVersions: number;
  /** The last flow version that was inspected; null when there are no further ones. */
  readonly nextVersion: FlowVersionKey | null;
  /** How long the two statements took. */
  readonly milliseconds: { readonly runs: number; readonly flowVersions: number };
}

/** A statement should not block others for long. */
const BATCH_MILLISECONDS = 10;

export interface PruneBatches {
  readonly runs: AdaptiveBatch;
  /** Of inspected versions; a version can have a large document. */
  readonly flowVersions: AdaptiveBatch;
}

/** Returns the sizes of the batches in which one process prunes. */
export function pruneBatches(): PruneBatches {
  const milliseconds = BATCH_MILLISECONDS;
  return {
    runs: new AdaptiveBatch({ minimum: 100, maximum: 500, milliseconds }),
    flowVersions: new AdaptiveBatch({ minimum: 5, maximum: 100, milliseconds }),
  };
}

/** Another process prunes. */
const NOT_OURS: Pruned = {
  runs: 0,
  flowVersions: 0,
  inspectedVersions: 0,
  nextVersion: null,
  milliseconds: { runs: 0, flowVersions: 0 },
};

/** See RunStore.prune. */
export async function pruneRecords(
  database: Database,
  { retentionDays, keptFlowVersions, limit, versionLimit, afterVersion = null }: PruneLimits,
): Promise<Pruned> {
  return database.transaction(async (connection) => {
    const lock = await connection.query<{ isOurs: boolean }>(TRY_LOCK);
    if (lock.rows[0]?.isOurs !== true) return NOT_OURS;
    const started = performance.now();
    const runs = await connection.query({ ...PRUNE_RUNS, values: [retentionDays, limit] });
    await pruneUnrecorded(connection, retentionDays, limit);
    await pruneUsage(connection, limit);
    await pruneSpend(connection, limit);
    const between = performance.now();
    const versions =
      versionLimit === 0
        ? { deleted: 0, inspected: 0, next: afterVersion }
        : await pruneFlowVersions(connection, {
            kept: keptFlowVersions,
            limit: versionLimit,
            after: afterVersion,
          });
    return {
      runs: runs.rowCount,
      flowVersions: versions.deleted,
      inspectedVersions: versions.inspected,
      nextVersion: versions.next,
      milliseconds: { runs: between - started, flowVersions: performance.now() - between },
    };
  });
}
