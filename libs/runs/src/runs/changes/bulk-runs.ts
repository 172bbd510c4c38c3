import type { Transactional } from '@millrace/database';
import { insertCallbacksSql } from '../../callbacks/insert-callbacks';
import { positionOf, searchRuns } from '../search/find-runs';
import { forgetSuspensionsSql } from '../forget-suspensions';
import { CANCELLED } from '../lifecycle';
import { REPLAYABLE_STATUSES, REPLAY_KEY_OF_RUN, replayRuns } from './replay-runs';
import type { ReplayOptions, ReplayedVersion } from './replay-runs';
import { UNFINISHED_STATUSES } from '../search/run-filter';
import type { RunFilter, RunPage, RunPosition } from '../search/run-filter';
import type { RunStatus } from '../../run-record/run-record';
import { POSITION_COLUMN, timeSql } from '../search/run-search';
import type { RunSearch } from '../search/run-search';

/** What is done to each run of a filter. */
export type BulkAction =
  { readonly kind: 'cancel' } | { readonly kind: 'replay'; readonly version: ReplayedVersion };

/** An action on the runs of a filter. */
export interface BulkRequest {
  readonly action: BulkAction;
  readonly filter: RunFilter;
}

export interface BulkOrder extends BulkRequest {
  /** When the runs were counted, see `BulkCount`. Runs that match the filter only since then are left out. */
  readonly asOfMicroseconds: number;
}

/** Runs that an action would reach. */
export interface BulkCount {
  readonly count: number;
  /** False when there are more than were counted. */
  readonly isComplete: boolean;
  /** When they were counted: microseconds since the epoch, by the database's clock. */
  readonly asOfMicroseconds: number;
}

/** A run that an action reached. */
export interface BulkResult {
  readonly id: string;
  readonly userId: string;
  readonly flowId: string;
  /** The run is still running: its executor ends it soon. */
  readonly isRunning: boolean;
  readonly replayedAs: string | null;
}

/** See ReplayOptions. */
export type BulkOptions = Omit<ReplayOptions, 'version'>;

export interface BulkBatch {
  readonly runs: readonly BulkResult[];
  /** Where the next batch begins; null when there are no further runs. */
  readonly next: RunPosition | null;
}

interface SelectedRun extends RunPosition {
  readonly userId: string;
  readonly flowId: string;
}

const NOW = {
  name: 'now-microseconds',
  text: `SELECT (extract(epoch FROM now()) * 1000000)::bigint AS "asOfMicroseconds"`,
};
const COUNTED_COLUMNS = `runs.id, runs.accepted_at AS "acceptedAt"`;
const COLUMNS = `runs.id, runs.user_id AS "userId", runs.flow_id AS "flowId", runs.accepted_at AS "acceptedAt", ${POSITION_COLUMN}`;

const CANCEL = {
  name: 'runs-cancel-many',
  text: `WITH ended AS (
    UPDATE runs SET cancel_requested = true,
      status = CASE WHEN status = 'running' THEN status ELSE 'cancelled' END,
      failure = CASE WHEN status = 'running' THEN failure ELSE '${CANCELLED}' END,
      finished_at = CASE WHEN status = 'running' THEN finished_at ELSE now() END,
      next_sweep_at = CASE WHEN status = 'running' THEN next_sweep_at END
    WHERE id = ANY(ARRAY(SELECT id FROM runs WHERE id = ANY($1::uuid[]) ORDER BY id FOR UPDATE))
      AND status IN ('accepted', 'queued', 'running', 'suspended') AND NOT cancel_requested
    RETURNING id, status, flow_id, user_id, callback
    ), ${forgetSuspensionsSql('ended')}, reported AS (${insertCallbacksSql('ended')})
    SELECT id, status FROM ended`,
};

/** See RunStore.countBulk. */
export async function countBulk(
  database: Transactional,
  request: BulkRequest,
  upTo: number,
): Promise<BulkCount> {
  const { rows } = await database.query<{ asOfMicroseconds: number }>(NOW);
  const asOfMicroseconds = rows[0]?.asOfMicroseconds ?? 0;
  const page = { limit: upTo + 1 };
  const search = { ...selection({ ...request, asOfMicroseconds }, page), columns: COUNTED_COLUMNS };
  const { rowCount } = await searchRuns(database, search);
  return { count: Math.min(rowCount, upTo), isComplete: rowCount <= upTo, asOfMicroseconds };
}

/** See RunStore.applyBulk. */
export async function applyBulk(
  database: Transactional,
  order: BulkOrder,
  page: RunPage,
  options: BulkOptions,
): Promise<BulkBatch> {
  const { rows } = await searchRuns<SelectedRun>(database, { ...selection(order, page), columns: COLUMNS });
  const next = rows.length === page.limit ? positionOf(rows.at(-1)) : null;
  const runs =
    order.action.kind === 'cancel'
      ? await cancel(database, rows)
      : await replay(database, rows, { ...options, version: order.action.version });
  return { runs, next };
}

function selection(
  { action, filter, asOfMicroseconds }: BulkOrder,
  page: RunPage,
): Omit<RunSearch, 'columns'> {
  const isCancel = action.kind === 'cancel';
  const possible: readonly RunStatus[] = isCancel ? UNFINISHED_STATUSES : REPLAYABLE_STATUSES;
  const statuses = filter.statuses?.filter((status) => possible.includes(status)) ?? possible;
  return {
    filter: { ...filter, statuses },
    order: 'oldest first',
    ...page,
    conditions: (add) =>
      isCancel
        ? [`runs.accepted_at <= ${timeSql(add(asOfMicroseconds))}`, 'NOT runs.cancel_requested']
        : [
            `runs.finished_at <= ${timeSql(add(asOfMicroseconds))}`,
            'runs.request IS NOT NULL',
            `NOT EXISTS (SELECT FROM runs AS replay
              WHERE replay.flow_id = runs.flow_id AND replay.dedupe_key = ${REPLAY_KEY_OF_RUN})`,
            ...(action.version === 'same' ? [VERSION_EXISTS] : []),
          ],
  };
}

const VERSION_EXISTS = `EXISTS (SELECT FROM flow_versions
  WHERE flow_versions.flow_id = runs.flow_id AND flow_versions.version = runs.flow_version)`;

async function cancel(database: Transactional, selected: readonly SelectedRun[]): Promise<BulkResult[]> {
  if (selected.length === 0) return [];
  const values = [selected.map(({ id }) => id)];
  const { rows } = await database.query<{ id: string; status: RunStatus }>({ ...CANCEL, values });
  const statuses = new Map(rows.map(({ id, status }) => [id, status]));
  return selected
    .filter(({ id }) => statuses.has(id))
    .map((run) => ({ ...resultOf(run), isRunning: statuses.get(run.id) === 'running' }));
}

async function replay(
  database: Transactional,
  selected: readonly SelectedRun[],
  options: ReplayOptions,
): Promise<BulkResult[]> {
  const results: BulkResult[] = [];
  for (const userId of new Set(selected.map((run) => run.userId))) {
    const own = selected.filter((run) => run.userId === userId);
    const ids = own.map(({ id }) => id);
    const replays = await replayRuns(database, userId, ids, options);
    // Another call can have replayed a run since the search.
    const reached = own.filter(({ id }) => replays.created.has(id));
    for (const run of reached)
      results.push({ ...resultOf(run), replayedAs: replays.ids.get(run.id) ?? null });
  }
  return results;
}

function resultOf({ id, userId, flowId }: SelectedRun): BulkResult {
  return { id, userId, flowId, isRunning: false, replayedAs: null };
}
