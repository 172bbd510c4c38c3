import type { RunRecord, RunStatus } from './run-record';
import { RUN_COLUMNS, RUN_SUMMARY_COLUMNS, toRunRecord } from './run-rows';
import type { RunRow } from './run-rows';
import type { RunStoreParts } from './run-store-parts';

/** Selects the runs to list. */
export interface RunFilter {
  readonly flowId?: string | undefined;
  readonly status?: RunStatus | undefined;
  readonly limit: number;
  /** Id of a run: lists only runs accepted before it. */
  readonly before?: string | undefined;
}

/** See RunStore.find. */
export async function findRun(
  { database, seal }: RunStoreParts,
  userId: string,
  id: string,
): Promise<RunRecord | null> {
  const { rows } = await database.query<RunRow>({
    name: 'runs-find',
    text: `SELECT ${RUN_COLUMNS} FROM runs WHERE id = $1 AND user_id = $2`,
    values: [id, userId],
  });
  return rows[0] === undefined ? null : toRunRecord(rows[0], seal);
}

// The newest runs of each of the user's flows, then the newest of all: one index serves lists by flow and by user.
const LIST = {
  name: 'runs-list',
  text: `SELECT newest.* FROM flows CROSS JOIN LATERAL (
      SELECT ${RUN_SUMMARY_COLUMNS} FROM runs
      WHERE runs.flow_id = flows.id AND runs.user_id = $1 AND ($3::text IS NULL OR runs.status = $3)
        AND ($4::uuid IS NULL
          OR (runs.accepted_at, runs.id) < (SELECT accepted_at, id FROM runs WHERE id = $4 AND user_id = $1))
      ORDER BY runs.accepted_at DESC, runs.id DESC LIMIT $5
    ) AS newest
    WHERE flows.user_id = $1 AND ($2::uuid IS NULL OR flows.id = $2)
    ORDER BY newest."acceptedAt" DESC, newest.id DESC LIMIT $5`,
};

/** See RunStore.list. */
export async function listRuns(
  { database, seal }: RunStoreParts,
  userId: string,
  filter: RunFilter,
): Promise<RunRecord[]> {
  const { rows } = await database.query<RunRow>({
    ...LIST,
    values: [userId, filter.flowId ?? null, filter.status ?? null, filter.before ?? null, filter.limit],
  });
  return rows.map((row) => toRunRecord(row, seal));
}
