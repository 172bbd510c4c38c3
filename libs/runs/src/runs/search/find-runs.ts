import type { QueryResult, Transactional } from '@millrace/database';
import type { RunFilter, RunPage, RunPosition } from './run-filter';
import type { RunRecord, RunStatus } from '../../run-record/run-record';
import { RUN_COLUMNS, RUN_SUMMARY_COLUMNS, toRunRecord, wholeRow } from '../run-rows';
import type { RunRow } from '../run-rows';
import { isInIndexOrder, POSITION_COLUMN, readsOtherRuns, runSearchStatement } from './run-search';
import type { RunSearch } from './run-search';
import type { RunStoreParts } from '../run-store-parts';
import { boundedSearch } from './windows';

// For a search the compilation of a plan takes longer than its execution.
const NO_COMPILATION = { name: 'search-settings', text: `SELECT set_config('jit', 'off', true)` };

// The statistics of a table can be minutes old. The planner then takes the runs of a flow for few, and reads and sorts all of
// them for a list of the newest ones.
const NEWEST_OF_INDEX = {
  name: 'search-settings-by-index',
  text: `SELECT set_config('jit', 'off', true), set_config('enable_seqscan', 'off', true),
    set_config('enable_bitmapscan', 'off', true), set_config('enable_sort', 'off', true)`,
};

/** Runs of a list, and where the next page begins. */
export interface RunList {
  readonly runs: readonly RunRecord[];
  /** Null when there are no further runs. A page that ends before its limit can have one. */
  readonly next: RunPosition | null;
}

/** See RunStore.find. */
export async function findRun(
  { database, seal, bodies }: RunStoreParts,
  userId: string,
  id: string,
): Promise<RunRecord | null> {
  const { rows } = await database.query<RunRow>({
    name: 'runs-find',
    text: `SELECT ${RUN_COLUMNS} FROM runs WHERE id = $1 AND user_id = $2`,
    values: [id, userId],
  });
  return rows[0] === undefined ? null : toRunRecord(await wholeRow(rows[0], bodies), seal);
}

/** See RunStore.findSummary. */
export async function findRunSummary(
  { database, seal }: Pick<RunStoreParts, 'database' | 'seal'>,
  userId: string,
  id: string,
): Promise<RunRecord | null> {
  const { rows } = await database.query<RunRow>({
    name: 'runs-find-summary',
    text: `SELECT ${RUN_SUMMARY_COLUMNS} FROM runs WHERE id = $1 AND user_id = $2`,
    values: [id, userId],
  });
  return rows[0] === undefined ? null : toRunRecord(rows[0], seal);
}

/** See RunStore.status. */
export async function findStatus(
  { database }: Pick<RunStoreParts, 'database'>,
  userId: string,
  id: string,
): Promise<RunStatus | null> {
  const { rows } = await database.query<{ readonly status: RunStatus }>({
    name: 'runs-find-status',
    text: 'SELECT status FROM runs WHERE id = $1 AND user_id = $2',
    values: [id, userId],
  });
  return rows[0]?.status ?? null;
}

/** See RunStore.list. */
export async function listRuns(
  { reads, seal }: RunStoreParts,
  filter: RunFilter,
  { limit, after, before }: RunPage & { readonly before?: string | undefined },
): Promise<RunList> {
  const search: RunSearch = {
    filter,
    columns: `${RUN_SUMMARY_COLUMNS}, ${POSITION_COLUMN}`,
    order: 'newest first',
    // One more shows whether there is a next page.
    limit: limit + 1,
    after,
    conditions: (add) => (before === undefined ? [] : [olderThan(add(before), add(filter.userId))]),
  };
  const isBounded = readsOtherRuns(filter);
  const begin = isBounded && before !== undefined ? await positionOfRun(reads, before, filter.userId) : after;
  if (begin === null) return { runs: [], next: null };
  const bounded = isBounded
    ? await boundedSearch(reads, { ...search, after: after ?? begin })
    : { search, stoppedAt: null };
  const { rows } = await searchRuns<RunRow & RunPosition>(reads, bounded.search);
  const shown = rows.slice(0, limit);
  return {
    runs: shown.map(({ acceptedAtMicroseconds: _, ...row }) => toRunRecord(row, seal)),
    next: rows.length > limit ? positionOf(shown.at(-1)) : bounded.stoppedAt,
  };
}

/** Executes a search. */
export async function searchRuns<Row>(database: Transactional, search: RunSearch): Promise<QueryResult<Row>> {
  return database.transaction(async (connection) => {
    await connection.query(isInIndexOrder(search.filter) ? NEWEST_OF_INDEX : NO_COMPILATION);
    return connection.query<Row>(runSearchStatement(search));
  });
}

/** Returns the position of a row with these columns; null without a row. */
export function positionOf(row: RunPosition | undefined): RunPosition | null {
  if (row === undefined) return null;
  const { acceptedAtMicroseconds, id } = row;
  return { acceptedAtMicroseconds, id };
}

/** Returns the position of a run; null for one that is unknown, or of another user. */
async function positionOfRun(
  database: Transactional,
  id: string,
  userId: string | null,
): Promise<RunPosition | null> {
  const { rows } = await database.transaction((connection) =>
    connection.query<RunPosition>({
      text: `SELECT runs.id, ${POSITION_COLUMN} FROM runs WHERE runs.id = $1 AND ($2::uuid IS NULL OR runs.user_id = $2)`,
      values: [id, userId],
    }),
  );
  return rows[0] ?? null;
}

function olderThan(id: string, userId: string): string {
  return `(runs.accepted_at, runs.id) < (SELECT accepted_at, id FROM runs AS last
    WHERE last.id = ${id} AND (${userId}::uuid IS NULL OR last.user_id = ${userId}))`;
}
