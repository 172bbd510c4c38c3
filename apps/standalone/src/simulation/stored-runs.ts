import type { Database } from '@millrace/database';
import { MAXIMUM_ATTEMPTS } from './simulated-services';

/** What a run's row tells of it. */
export interface StoredRun {
  readonly id: string;
  readonly status: string;
  readonly attempt: number;
  /** Attempts that do not count. */
  readonly free: number;
  readonly sweeps: number;
  readonly result: string | null;
}

interface Transition {
  readonly run_id: string;
  readonly before: string;
  readonly after: string;
}

const ENDED = new Set(['succeeded', 'failed', 'cancelled', 'timed_out', 'dead']);
/** Not truncated: each prepared statement would be planned again. */
const FORGET = 'DELETE FROM runs; DELETE FROM messages; DELETE FROM simulation.transitions';

/** Every run that is written down, by its id. */
export async function storedRuns(database: Database): Promise<ReadonlyMap<string, StoredRun>> {
  const { rows } = await database.query<StoredRun>({
    name: 'simulation-runs',
    text: 'SELECT id, status, attempt, free_attempts AS free, sweeps, result FROM runs',
  });
  return new Map(rows.map((row) => [row.id, row]));
}

export function hasEnded({ status }: StoredRun): boolean {
  return ENDED.has(status);
}

/** What must hold of every run, whether anybody was told of it or not. */
export function faultsOfRuns(rows: ReadonlyMap<string, StoredRun>): string[] {
  return [...rows.values()].flatMap((row) => {
    const { id, status, attempt, free } = row;
    if (!hasEnded(row)) return [`${id} has not ended but is ${status}`];
    return attempt - free > MAXIMUM_ATTEMPTS ? [`${id} has ${attempt} attempts, ${free} of them free`] : [];
  });
}

/** One end for each run, and nothing after it. */
export async function faultsOfTransitions(database: Database): Promise<string[]> {
  const { rows } = await database.query<Transition>({
    name: 'simulation-transitions',
    text: 'SELECT run_id, before, after FROM simulation.transitions',
  });
  const ends = new Map<string, number>();
  const faults: string[] = [];
  for (const { run_id, before, after } of rows) {
    if (ENDED.has(before)) faults.push(`${run_id} went from ${before} to ${after}`);
    if (ENDED.has(after)) ends.set(run_id, (ends.get(run_id) ?? 0) + 1);
  }
  for (const [runId, count] of ends) if (count > 1) faults.push(`${runId} ended ${count} times`);
  return faults;
}

/** Nothing of a seed is left for the next one. */
export async function forgetRuns(database: Database): Promise<void> {
  await database.query({ text: FORGET });
}
