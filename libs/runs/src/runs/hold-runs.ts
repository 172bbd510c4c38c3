import type { Database } from '@millrace/database';
import { retryOnDeadlock } from '../retry-on-deadlock';
import { LEASE } from './lifecycle';
import type { HeldRun } from './run-completion';

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

const RELEASE = {
  name: 'runs-release',
  text: `UPDATE runs SET status = 'queued', queued_at = now(), worker = NULL, lease_until = NULL,
      free_attempts = runs.free_attempts + 1
    FROM unnest($1::uuid[], $2::int[]) AS held (id, attempt)
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
  return {
    held: new Set(rows.map(({ id }) => id)),
    cancelRequested: new Set(rows.filter((row) => row.cancelRequested).map(({ id }) => id)),
  };
}

/** See RunStore.release. */
export async function releaseRuns(database: Database, runs: readonly HeldRun[]): Promise<void> {
  if (runs.length === 0) return;
  await retryOnDeadlock(() => database.query({ ...RELEASE, values: parameters(runs) }));
}

/** Sorted, so that statements of different workers lock the rows in the same order. */
function parameters(runs: readonly HeldRun[]): unknown[] {
  const sorted = [...runs].sort((left, right) => (left.runId < right.runId ? -1 : 1));
  return [sorted.map(({ runId }) => runId), sorted.map(({ attempt }) => attempt)];
}
