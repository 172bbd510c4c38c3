import type { Database } from '@millrace/database';
import type { RequestSeal } from '../../encryption/request-seal';
import type { RunRecord, RunStatus } from '../../run-record/run-record';
import { RUN_SUMMARY_COLUMNS, toRunRecord } from '../run-rows';
import type { RunRow } from '../run-rows';

/** What shows whether a run has changed since it was read last. */
export interface RunMark {
  readonly id: string;
  readonly status: RunStatus;
  readonly attempt: number;
}

/** The state of the runs that can change, and of the newest ones. */
export interface LiveRuns {
  /** The runs with the greatest ids, which contain the time of their acceptance; the greatest first. */
  readonly newest: readonly RunMark[];
  /** Runs that have not ended: those that are executed or published before those of a backlog. */
  readonly unfinished: readonly RunMark[];
}

// Both parts read an index from its end, whatever the number of runs.
const MARKS = {
  name: 'runs-live',
  text: `SELECT * FROM (SELECT true AS "isNewest", id, status, attempt FROM runs ORDER BY id DESC LIMIT $1) AS newest
    UNION ALL
    SELECT * FROM (SELECT false, id, status, attempt FROM runs WHERE next_sweep_at IS NOT NULL
      ORDER BY next_sweep_at LIMIT $2) AS unfinished`,
};

/** Reads the newest runs and those that have not ended, of all users. */
export async function readLiveRuns(
  database: Pick<Database, 'query'>,
  limits: { readonly newest: number; readonly unfinished: number },
): Promise<LiveRuns> {
  const { rows } = await database.query<RunMark & { readonly isNewest: boolean }>({
    ...MARKS,
    values: [limits.newest, limits.unfinished],
  });
  return {
    newest: rows.filter(({ isNewest }) => isNewest),
    unfinished: rows.filter(({ isNewest }) => !isNewest),
  };
}

/** Reads runs of any user by their ids, without results and requests; leaves out those that do not exist. */
export async function readRunSummaries(
  { database, seal }: { readonly database: Pick<Database, 'query'>; readonly seal: RequestSeal },
  ids: readonly string[],
): Promise<RunRecord[]> {
  if (ids.length === 0) return [];
  const { rows } = await database.query<RunRow>({
    name: 'runs-live-summaries',
    text: `SELECT ${RUN_SUMMARY_COLUMNS} FROM runs WHERE id = ANY($1::uuid[]) ORDER BY id`,
    values: [ids],
  });
  return rows.map((row) => toRunRecord(row, seal));
}
