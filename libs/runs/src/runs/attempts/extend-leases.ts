import type { Database } from '@millrace/database';
import { WAITS_BRIEFLY } from '../../lock-timeout';
import { retryOnDeadlock } from '../../retry-on-deadlock';
import { LEASE } from '../lifecycle';
import { passLocked } from './pass-locked';
import { endAttemptsSql, workerBefore } from './run-attempts';
import type { RunAttempt, ReleasedRun } from './run-completion';

/** Outcome of a heartbeat. */
export interface Heartbeat {
  /** Runs that the worker still owns. */
  readonly held: Set<string>;
  /** Runs among `held` that are to be cancelled. */
  readonly cancelRequested: Set<string>;
  /** Why the attempts of the other runs count although this worker is alive; undefined when they do not. */
  readonly uncountFailure?: unknown;
}

const HELD = `runs.id = named.id AND runs.attempt = named.attempt AND runs.status = 'running' AND runs.worker = $3`;

// A run that another session locks is passed over until the next heartbeat, so that the leases of the others do not expire.
const EXTEND = {
  name: 'runs-extend-leases',
  text: `WITH held AS (
      SELECT runs.id, runs.cancel_requested FROM unnest($1::uuid[], $2::int[]) AS named (id, attempt)
      JOIN runs ON ${HELD}
    ), extended AS (
      UPDATE runs SET lease_until = now() + ${LEASE} WHERE id = ANY(ARRAY(
        SELECT runs.id FROM unnest($1::uuid[], $2::int[]) AS named (id, attempt) JOIN runs ON ${HELD}
        FOR NO KEY UPDATE OF runs SKIP LOCKED))
    )
    SELECT id, cancel_requested AS "cancelRequested" FROM held`,
};

// A worker that renews the lease of a run it lost is alive: its attempt did not end because of the run, so it does not
// count. An attempt that ended otherwise, as by a retry or a hand-off, is not lost: its renewal is late. The number is limited, because a run that freezes its workers must come to an end, too.
const MAXIMUM_FREE_ATTEMPTS = 5;

const UNCOUNT_ATTEMPTS = {
  name: 'runs-discount',
  text: `UPDATE runs SET free_attempts = runs.free_attempts + 1
    FROM unnest($1::uuid[], $2::int[]) AS lost (id, attempt)
    WHERE runs.id = lost.id AND runs.status IN ('accepted', 'queued', 'running')
      AND runs.free_attempts < least(${MAXIMUM_FREE_ATTEMPTS}, runs.attempt - (runs.attempt > lost.attempt)::int)
      AND EXISTS (SELECT FROM run_attempts WHERE run_attempts.run_id = lost.id
        AND run_attempts.attempt = lost.attempt AND run_attempts.outcome IN ('executor_lost', 'redelivered'))
      AND ${WAITS_BRIEFLY}`,
};

const RELEASE = {
  name: 'runs-release',
  text: `WITH released AS (
      UPDATE runs SET status = CASE WHEN held.message_lost THEN 'accepted' ELSE 'queued' END,
      next_sweep_at = CASE WHEN held.message_lost THEN now() ELSE runs.next_sweep_at END,
      queued_at = now(), worker = NULL, lease_until = NULL, free_attempts = runs.free_attempts + 1
    FROM unnest($1::uuid[], $2::int[], $3::boolean[]) AS held (id, attempt, message_lost)
    WHERE runs.id = held.id AND runs.attempt = held.attempt AND runs.status = 'running'
    RETURNING runs.id, runs.attempt, runs.started_at, 'given_back' AS outcome, NULL::text AS failure,
      ${workerBefore} AS worker
    ) ${endAttemptsSql('released')}`,
};

/** See RunStore.heartbeat. */
export async function extendLeases(
  database: Database,
  worker: string,
  runs: readonly RunAttempt[],
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
  const cancelRequested = new Set(rows.filter((row) => row.cancelRequested).map(({ id }) => id));
  try {
    await uncountAttempts(database, lost);
  } catch (uncountFailure) {
    // The worker must learn which runs it has lost: another one runs them, too.
    return { held, cancelRequested, uncountFailure };
  }
  return { held, cancelRequested };
}

/** The attempt of a run whose row another session locks counts: the leases of the others must not wait for it. */
async function uncountAttempts(database: Database, lost: readonly RunAttempt[]): Promise<void> {
  const locked = new Set<string>();
  const unlocked = () => lost.filter(({ runId }) => !locked.has(runId));
  await passLocked({
    database,
    isRetry: false,
    pending: () => unlocked().map(({ runId }) => runId),
    onLocked: (runId) => locked.add(runId),
    change: async () => {
      await database.query({ ...UNCOUNT_ATTEMPTS, values: parameters(unlocked()) });
    },
  });
}

/** See RunStore.release. */
export async function releaseRuns(database: Database, runs: readonly ReleasedRun[]): Promise<void> {
  if (runs.length === 0) return;
  const sorted = sortedById(runs);
  const values = [...parameters(sorted), sorted.map(({ isMessageLost = false }) => isMessageLost)];
  await retryOnDeadlock(() => database.query({ ...RELEASE, values }));
}

/** Sorted, so that statements of different workers lock the rows in the same order. */
function sortedById<Run extends RunAttempt>(runs: readonly Run[]): Run[] {
  return [...runs].sort((left, right) => (left.runId < right.runId ? -1 : 1));
}

function parameters(runs: readonly RunAttempt[]): unknown[] {
  const sorted = sortedById(runs);
  return [sorted.map(({ runId }) => runId), sorted.map(({ attempt }) => attempt)];
}
