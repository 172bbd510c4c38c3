import type { Database } from '@millrace/database';
import type { RecordedWork } from './simulated-question';
import { MAXIMUM_ATTEMPTS } from './simulated-services';

/** The row of a run. */
export interface StoredRun {
  readonly id: string;
  readonly status: string;
  readonly attempt: number;
  /** Attempts that do not count. */
  readonly free: number;
  /** Failed attempts that were repeated by the rule of the flow. */
  readonly retries: number;
  readonly sweeps: number;
  /** The executor of the last attempt. */
  readonly worker: string | null;
  readonly result: string | null;
}

interface Transition {
  readonly run_id: string;
  readonly before: string;
  readonly after: string;
}

/** How a run was suspended. */
export interface Suspensions {
  /** The attempts that ended with a pause, in order. */
  readonly pauses: readonly number[];
  /** The states that followed the pauses. */
  readonly ways: readonly string[];
  /** Whether the run had a lease, an executor or a time of a next sweep while it was suspended. */
  readonly isHeld: boolean;
}

/** State of a run whose next attempt is not due yet. */
export const WAITING = 'waiting for its next attempt';
const ENDED = new Set(['succeeded', 'failed', 'cancelled', 'timed_out', 'dead']);
/** Deletes instead of truncating, because TRUNCATE invalidates the plans of prepared statements. */
const DELETE_ALL =
  'DELETE FROM runs; DELETE FROM messages; DELETE FROM ended_requests; DELETE FROM simulation.transitions; DELETE FROM simulation.pauses';

/** Resolves to all stored runs by id. */
export async function storedRuns(database: Database): Promise<ReadonlyMap<string, StoredRun>> {
  const { rows } = await database.query<StoredRun>({
    name: 'simulation-runs',
    text: 'SELECT id, status, attempt, free_attempts AS free, retries, sweeps, worker, whole_text(result, id, flow_id, session_id) AS result FROM runs',
  });
  return new Map(rows.map((row) => [row.id, row]));
}

export function hasEnded({ status }: Pick<StoredRun, 'status'>): boolean {
  return ENDED.has(status);
}

/** Returns violations of what must hold for every run, whether its caller received an answer or not. */
export function violationsOfRuns(rows: ReadonlyMap<string, StoredRun>): string[] {
  return [...rows.values()].flatMap((row) => {
    const { id, status, attempt, free, retries } = row;
    if (!hasEnded(row)) return [`${id} has not ended but is ${status}`];
    return attempt - free - retries > MAXIMUM_ATTEMPTS
      ? [`${id} has ${attempt} attempts, ${free} of them free, ${retries} repeated by its rule`]
      : [];
  });
}

/** Returns runs that ended more than once, changed after their end, or began an attempt before it was due. */
export async function violationsOfTransitions(database: Database): Promise<string[]> {
  const { rows } = await database.query<Transition>({
    name: 'simulation-transitions',
    text: 'SELECT run_id, before, after FROM simulation.transitions',
  });
  const ends = new Map<string, number>();
  const violations: string[] = [];
  for (const { run_id, before, after } of rows) {
    if (ENDED.has(before) || before === WAITING) violations.push(`${run_id} went from ${before} to ${after}`);
    if (ENDED.has(after)) ends.set(run_id, (ends.get(run_id) ?? 0) + 1);
  }
  for (const [runId, count] of ends) if (count > 1) violations.push(`${runId} ended ${count} times`);
  return violations;
}

/** Resolves to the pauses of all runs that were suspended, by id. */
export async function storedSuspensions(database: Database): Promise<ReadonlyMap<string, Suspensions>> {
  const { rows } = await database.query<Suspensions & { readonly id: string }>({
    name: 'simulation-suspensions',
    text: `SELECT run_id AS id, coalesce(array_agg(attempt ORDER BY attempt) FILTER (WHERE after = 'suspended'), '{}') AS pauses,
        coalesce(array_agg(after) FILTER (WHERE before = 'suspended'), '{}') AS ways, bool_or(held) AS "isHeld"
      FROM simulation.pauses GROUP BY run_id`,
  });
  return new Map(rows.map(({ id, ...suspensions }) => [id, suspensions]));
}

/** Resolves to whether a step or an effect has the record of this attempt. */
export async function isRecorded(
  database: Database,
  { runId, vertex, name, attempt }: RecordedWork,
): Promise<boolean> {
  const { rowCount } = await database.query({
    name: 'simulation-recorded',
    text: `SELECT FROM run_effects WHERE run_id = $1 AND vertex_id = $2 AND name LIKE $3 || '%' AND attempt = $4 AND result IS NOT NULL`,
    values: [runId, vertex, name, attempt],
  });
  return rowCount > 0;
}

/** Deletes all records of a seed. */
export async function deleteRuns(database: Database): Promise<void> {
  await database.query({ text: DELETE_ALL });
}
