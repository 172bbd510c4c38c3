import type { Database } from '@millrace/database';
import { retryOnDeadlock } from '../retry-on-deadlock';
import { LEASE } from './lifecycle';
import type { HeldRun, ReleasedRun } from './run-completion';

/** What a worker learns of its runs. */
export interface Heartbeat {
  /** Still the worker's. */
  readonly held: Set<string>;
  /** Held, and to be ended. */
  readonly cancelRequested: Set<string>;
}

const EXTEND = {
  name: 'runs-extend-leases',
  text: `UPDATE runs SET lease_until = now() + ${LEASE}
    FROM unnest($1::uuid[], $2::int[]) AS held (id, attempt)
    WHERE runs.id = held.id AND runs.attempt = held.attempt AND runs.status = 'running' AND runs.worker = $3
    RETURNING runs.id, runs.cancel_requested AS "cancelRequested"`,
};

// A worker that asks for a run it lost is alive: its attempt did not end by the run's doing, so it does not count. Only
// so often, because a run that freezes its workers must come to an end, too.
const MAXIMUM_FREE_ATTEMPTS = 5;

const DISCOUNT = {
  name: 'runs-discount',
  text: `UPDATE runs SET free_attempts = runs.free_attempts + 1
    FROM unnest($1::uuid[], $2::int[]) AS lost (id, attempt)
    WHERE runs.id = lost.id AND runs.free_attempts < ${MAXIMUM_FREE_ATTEMPTS}
      AND ((runs.attempt > lost.attempt AND runs.status IN ('queued', 'running') AND runs.free_attempts < runs.attempt - 1)
        OR (runs.attempt = lost.attempt AND runs.status = 'queued' AND runs.free_attempts < runs.attempt))`,
};

const RELEASE = {
  name: 'runs-release',
  text: `UPDATE runs SET status = CASE WHEN held.message_gone THEN 'accepted' ELSE 'queued' END,
      next_sweep_at = CASE WHEN held.message_gone THEN now() ELSE runs.next_sweep_at END,
      queued_at = now(), worker = NULL, lease_until = NULL, free_attempts = runs.free_attempts + 1
    FROM unnest($1::uuid[], $2::int[], $3::boolean[]) AS held (id, attempt, message_gone)
    WHERE runs.id = held.id AND runs.attempt = held.attempt AND runs.status = 'running'`,
};

/** See RunStore.heartbeat. */
export async function extendLeases(
  database: Database,
  worker: string,
  runs: readonly HeldRun[],
): Promise<Heartbeat> {
  if (runs.length === 0) return { held: new Set(), cancelRequested: new Set() };
  const { rows } = await retryOnDeadlock(() =>
    database.query<{ id: string; cancelRequested: boolean }>({
      ...EXTEND,
      values: [...parameters(runs), worker],
    }),
  );
  const held = new Set(rows.map(({ id }) => id));
  const lost = runs.filter(({ runId }) => !held.has(runId));
  if (lost.length > 0) await retryOnDeadlock(() => database.query({ ...DISCOUNT, values: parameters(lost) }));
  return { held, cancelRequested: new Set(rows.filter((row) => row.cancelRequested).map(({ id }) => id)) };
}

/** See RunStore.release. */
export async function releaseRuns(database: Database, runs: readonly ReleasedRun[]): Promise<void> {
  if (runs.length === 0) return;
  const sorted = inOrder(runs);
  const values = [...parameters(sorted), sorted.map(({ isMessageGone = false }) => isMessageGone)];
  await retryOnDeadlock(() => database.query({ ...RELEASE, values }));
}

/** Statements of different workers lock the rows in the same order. */
function inOrder<Run extends HeldRun>(runs: readonly Run[]): Run[] {
  return [...runs].sort((left, right) => (left.runId < right.runId ? -1 : 1));
}

function parameters(runs: readonly HeldRun[]): unknown[] {
  const sorted = inOrder(runs);
  return [sorted.map(({ runId }) => runId), sorted.map(({ attempt }) => attempt)];
}
