import type { Queryable } from '@millrace/database';

/** The place of a version in the order in which a pass inspects them. */
export interface FlowVersionKey {
  readonly flowId: string;
  readonly version: number;
}

export interface VersionPruning {
  /** The number of newest versions of each flow that are kept. */
  readonly kept: number;
  /** Maximum number of versions to inspect. */
  readonly limit: number;
  /** Inspects the versions behind this one; the first ones unless given. */
  readonly after: FlowVersionKey | null;
}

export interface PrunedVersions {
  readonly deleted: number;
  readonly inspected: number;
  /** The last version that was inspected; null at the end of a pass. */
  readonly next: FlowVersionKey | null;
}

const FIRST: FlowVersionKey = { flowId: '00000000-0000-0000-0000-000000000000', version: 0 };

// A version is old once a newer one has existed for a day: until then an interactive run, which has no row, can still
// need it. The same applies to a replay that has just begun to use it. Subqueries with a limit become one look into the
// index each; as a join, the planner could read all runs.
const PRUNE = {
  name: 'prune-flow-versions',
  text: `WITH inspected AS MATERIALIZED (
      SELECT flow_id, version FROM flow_versions WHERE (flow_id, version) > ($1::uuid, $2::int)
      ORDER BY flow_id, version LIMIT $3
    ), deleted AS (
      DELETE FROM flow_versions USING inspected JOIN flows ON flows.id = inspected.flow_id
      WHERE flow_versions.flow_id = inspected.flow_id AND flow_versions.version = inspected.version
        AND inspected.version <= flows.version - $4
        AND (flow_versions.used_at IS NULL OR flow_versions.used_at < now() - interval '1 day')
        AND (SELECT next.created_at FROM flow_versions AS next
          WHERE next.flow_id = inspected.flow_id AND next.version > inspected.version
          ORDER BY next.version LIMIT 1) < now() - interval '1 day'
        AND (SELECT true FROM runs
          WHERE runs.flow_id = inspected.flow_id AND runs.flow_version = inspected.version LIMIT 1) IS NULL
        AND NOT EXISTS (SELECT FROM triggers
          WHERE triggers.flow_id = inspected.flow_id AND triggers.flow_version = inspected.version)
        AND NOT EXISTS (SELECT FROM run_checkpoints
          WHERE inner_versions @> ARRAY[inspected.flow_id || ' ' || inspected.version])
      RETURNING 1
    )
    SELECT (SELECT count(*)::int FROM deleted) AS deleted, count(*)::int AS inspected,
      (array_agg(flow_id ORDER BY flow_id DESC, version DESC))[1] AS "flowId",
      (array_agg(version ORDER BY flow_id DESC, version DESC))[1] AS version
    FROM inspected`,
};

interface PruneRow {
  readonly deleted: number;
  readonly inspected: number;
  readonly flowId: string | null;
  readonly version: number | null;
}

/**
 * Deletes those of the next versions that are neither among the newest ones of their flow nor needed by a run, a trigger or a
 * suspended run of another flow.
 */
export async function pruneFlowVersions(
  connection: Queryable,
  { kept, limit, after }: VersionPruning,
): Promise<PrunedVersions> {
  const { flowId, version } = after ?? FIRST;
  const { rows } = await connection.query<PruneRow>({ ...PRUNE, values: [flowId, version, limit, kept] });
  const [row] = rows;
  if (row === undefined) return { deleted: 0, inspected: 0, next: null };
  const { deleted, inspected, flowId: lastFlow, version: lastVersion } = row;
  const isEnd = inspected < limit || lastFlow === null || lastVersion === null;
  return { deleted, inspected, next: isEnd ? null : { flowId: lastFlow, version: lastVersion } };
}
