import type { RunFailure } from '@millrace/messages';
import type { Database } from '@millrace/database';
import type { RepeatReason } from './repeat-reason';
import type { RunRecord, RunStatus } from '../../run-record/run-record';
import { readFailure } from '../run-rows';

/** Attempts beyond this one are not kept: a run can be handed off any number of times. */
const MAXIMUM_KEPT_ATTEMPTS = 100;

/**
 * How an attempt ended: with the run, or for the reason of the next attempt. `running`: it goes on, or its executor was lost
 * and the sweeper has not inspected the run yet.
 */
export type AttemptOutcome =
  RepeatReason | Extract<RunStatus, 'running' | 'succeeded' | 'failed' | 'cancelled' | 'timed_out'>;

/** One attempt of a run. */
export interface KeptAttempt {
  readonly attempt: number;
  readonly worker: string | null;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
  readonly outcome: AttemptOutcome;
  readonly failure: RunFailure | null;
}

/**
 * Returns SQL that keeps attempts which ended without the end of their run. `source` has the columns id, attempt, worker,
 * started_at (of the run), outcome and failure.
 */
export function endAttemptsSql(source: string): string {
  return `INSERT INTO run_attempts (run_id, attempt, worker, started_at, ended_at, outcome, failure)
    SELECT id, attempt, worker, CASE WHEN attempt = 1 THEN started_at END, now(), outcome, failure
    FROM ${source} WHERE attempt BETWEEN 1 AND ${MAXIMUM_KEPT_ATTEMPTS}
    ON CONFLICT (run_id, attempt) DO UPDATE SET ended_at = excluded.ended_at, outcome = excluded.outcome,
      failure = excluded.failure`;
}

/**
 * Returns SQL that keeps the beginnings of further attempts, and the ends of those that they take over. `source` has the
 * columns id, attempt, worker, started_at (of the run), "repeatReason", and "previousWorker": null when the end of the
 * attempt before is kept, empty when its worker is not known.
 */
export function beginAttemptsSql(source: string): string {
  return `INSERT INTO run_attempts (run_id, attempt, worker, started_at, ended_at, outcome)
    SELECT id, attempt, worker, now(), NULL, NULL FROM ${source} AS begun
      WHERE attempt BETWEEN 2 AND ${MAXIMUM_KEPT_ATTEMPTS}
    UNION ALL
    SELECT id, attempt - 1, nullif("previousWorker", ''), CASE WHEN attempt = 2 THEN started_at END, now(), "repeatReason"
      FROM ${source} AS lost WHERE attempt BETWEEN 2 AND ${MAXIMUM_KEPT_ATTEMPTS + 1} AND "previousWorker" IS NOT NULL
    ON CONFLICT (run_id, attempt) DO UPDATE SET ended_at = coalesce(run_attempts.ended_at, excluded.ended_at),
      outcome = coalesce(run_attempts.outcome, excluded.outcome)`;
}

/** SQL of the worker that a row of `runs` had before the statement. */
export const workerBefore = `(SELECT before.worker FROM runs AS before WHERE before.id = runs.id)`;

const LIST = {
  name: 'run-attempts-list',
  text: `SELECT attempt, worker, started_at AS "startedAt", ended_at AS "endedAt", outcome, failure
    FROM run_attempts WHERE run_id = $1 ORDER BY attempt`,
};

interface AttemptRow {
  readonly attempt: number;
  readonly worker: string | null;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
  readonly outcome: RepeatReason | null;
  readonly failure: string | null;
}

/** Lists the attempts of a run, the first one first; the last one is in its record. */
export async function readRunAttempts(
  database: Pick<Database, 'query'>,
  run: RunRecord,
): Promise<readonly KeptAttempt[]> {
  if (run.attempt === 0) return [];
  const { rows } = await database.query<AttemptRow>({ ...LIST, values: [run.id] });
  const ended = rows.flatMap(({ outcome, failure, ...row }): KeptAttempt[] =>
    outcome === null || row.endedAt === null ? [] : [{ ...row, outcome, failure: readFailure(failure) }],
  );
  if (ended.at(-1)?.attempt === run.attempt) return ended;
  const begun = rows.find(({ attempt }) => attempt === run.attempt);
  return [
    ...ended.filter(({ attempt }) => attempt < run.attempt),
    lastAttempt(run, begun?.startedAt ?? null),
  ];
}

function lastAttempt(run: RunRecord, startedAt: Date | null): KeptAttempt {
  return {
    attempt: run.attempt,
    worker: run.worker,
    startedAt: run.attempt === 1 ? run.startedAt : startedAt,
    endedAt: run.finishedAt,
    outcome: outcomeOf(run.status),
    failure: run.failure,
  };
}

/** A run is dead when the executor of its last attempt was lost. */
function outcomeOf(status: RunStatus): AttemptOutcome {
  if (status === 'dead') return 'executor_lost';
  return status === 'accepted' || status === 'queued' ? 'running' : status;
}
