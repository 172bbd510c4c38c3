import { insertCallbacksSql } from '../../callbacks/insert-callbacks';
import { BACKS_OFF, CRASH_BACKOFF, UNTIL_NEXT_SWEEP } from '../attempts/crash-backoff';
import { insertDeadLettersSql } from '../attempts/dead-letters';
import { CANCELLED, EXHAUSTED, OVERDUE, QUEUED_GRACE, RECORD_GRACE } from '../lifecycle';
import type { FailedRun, LostAttempt } from '../attempts/failed-run-log';
import { isIsolatedLoss } from '../attempts/isolated-loss';
import { endAttemptsSql } from '../attempts/run-attempts';
import { readFailure } from '../run-rows';
import { forgetSuspensionsSql } from '../forget-suspensions';
import type { RunStoreParts } from '../run-store-parts';
import type { PublishedRun, SweptRun } from '../swept-run';

/** Rows inspected in one sweep; rows that need no action cost little. */
const MAXIMUM_INSPECTED = 20_000;

// One sweeper at a time in each installation that shares the database. A plan that was made while the table was small would
// scan it until its statistics are new.
const TRY_LOCK = {
  name: 'runs-sweep-lock',
  text: `SELECT pg_try_advisory_xact_lock(hashtextextended(current_schema() || ' sweeps runs', 0)) AS "isOurs",
    set_config('jit', 'off', true), set_config('enable_seqscan', 'off', true)`,
};

// Verdicts:
// - lost     accepted, and no message was confirmed
// - orphaned running, its lease expired, attempts are left: back to the queue
// - delayed  as orphaned, but executors of the run were lost before: it waits for its next attempt
// - suspect  queued long ago: its message may be lost
// - cancelled, dead, timed_out: its lease expired, and it ends with this status
// - wait     needs no action; `due` says when to inspect it again
//
// Lost and orphaned runs go before any number of suspect ones; suspect runs beyond the limit are inspected again soon.
const SWEEP = {
  name: 'runs-sweep',
  text: `WITH looked_at AS MATERIALIZED (
      SELECT *, accepted_at + limit_milliseconds * interval '1 millisecond' + ${RECORD_GRACE} AS time_is_over
      FROM (
        SELECT id, status, attempt, free_attempts, maximum_attempts, limit_milliseconds, accepted_at, queued_at,
          lease_until, next_sweep_at, sweeps, durable, cancel_requested, worker, ${BACKS_OFF} AS backs_off,
          ${isIsolatedLoss('$2::boolean')} AS was_isolated
        FROM runs WHERE next_sweep_at <= now() ORDER BY next_sweep_at LIMIT ${MAXIMUM_INSPECTED}
        FOR UPDATE SKIP LOCKED
      ) AS due
    ), judged AS (
      SELECT *, CASE
        WHEN status = 'running' AND lease_until >= now() THEN 'wait'
        WHEN status = 'running' AND cancel_requested THEN 'cancelled'
        WHEN NOT durable AND time_is_over < now() THEN 'timed_out'
        WHEN NOT durable THEN 'wait'
        WHEN status = 'accepted' THEN 'lost'
        WHEN status = 'queued' AND queued_at + ${QUEUED_GRACE} <= now() THEN 'suspect'
        WHEN status = 'queued' THEN 'wait'
        WHEN attempt - free_attempts >= maximum_attempts AND NOT was_isolated THEN 'dead'
        WHEN backs_off THEN 'delayed'
        ELSE 'orphaned' END AS verdict
      FROM looked_at
    ), ranked AS (
      SELECT *, row_number() OVER (
        PARTITION BY verdict IN ('lost', 'orphaned', 'suspect') ORDER BY verdict = 'suspect', next_sweep_at
      ) AS place FROM judged
    ), swept AS (
      UPDATE runs SET
        status = CASE WHEN verdict = 'orphaned' THEN 'queued' WHEN verdict = 'delayed' THEN 'accepted'
          WHEN verdict IN ('cancelled', 'dead', 'timed_out') THEN verdict ELSE runs.status END,
        free_attempts = runs.free_attempts + (verdict IN ('orphaned', 'delayed') AND was_isolated)::int,
        queued_at = CASE WHEN verdict = 'orphaned' THEN now() ELSE runs.queued_at END,
        worker = CASE WHEN verdict IN ('orphaned', 'delayed') THEN NULL ELSE runs.worker END,
        lease_until = CASE WHEN verdict = 'wait' THEN runs.lease_until END,
        failure = CASE verdict WHEN 'cancelled' THEN '${CANCELLED}' WHEN 'dead' THEN '${EXHAUSTED}'
          WHEN 'timed_out' THEN '${OVERDUE}' ELSE runs.failure END,
        finished_at = CASE WHEN verdict IN ('cancelled', 'dead', 'timed_out') THEN now() END,
        sweeps = CASE WHEN verdict IN ('lost', 'orphaned', 'suspect') AND place <= $1 THEN runs.sweeps + 1
          WHEN verdict = 'delayed' THEN 0 ELSE runs.sweeps END,
        next_sweep_at = CASE
          WHEN verdict IN ('cancelled', 'dead', 'timed_out') THEN NULL
          WHEN verdict = 'delayed' THEN now() + ${CRASH_BACKOFF}
          WHEN verdict = 'wait' AND runs.status = 'running' AND runs.lease_until >= now() THEN runs.lease_until
          WHEN verdict = 'wait' AND NOT runs.durable THEN time_is_over
          WHEN verdict = 'wait' THEN runs.queued_at + ${QUEUED_GRACE}
          WHEN verdict = 'suspect' AND place > $1 THEN now() + (0.5 + random() / 2) * ${QUEUED_GRACE}
          ELSE now() + (0.75 + random() / 2) * least(
            CASE verdict WHEN 'suspect' THEN ${QUEUED_GRACE} ELSE interval '5 seconds' END
              * power(2, least(runs.sweeps, 6)),
            interval '5 minutes') END
      FROM ranked
      WHERE runs.id = ranked.id AND (place <= $1 OR verdict NOT IN ('lost', 'orphaned'))
      RETURNING runs.id, runs.lane, runs.pool, runs.flow_id AS "flowId", runs.flow_version AS "flowVersion",
        runs.user_id AS "userId", runs.traceparent, runs.accepted_at AS "acceptedAt", ranked.status = 'running' AS "wasRunning", verdict, place, runs.status, runs.attempt, runs.failure,
        runs.request_id AS "requestId", ranked.worker AS "lostWorker", runs.flow_id, runs.user_id, runs.callback, runs.started_at,
        CASE WHEN verdict = 'delayed' THEN ${UNTIL_NEXT_SWEEP} END AS "retryInMilliseconds"
    ), orphaned AS (
      SELECT id, attempt, "lostWorker" AS worker, started_at, 'executor_lost' AS outcome, NULL::text AS failure
      FROM swept WHERE verdict IN ('orphaned', 'delayed')
    ), kept AS (${endAttemptsSql('orphaned')}), noted AS (${insertDeadLettersSql('swept')}), reported AS (${insertCallbacksSql('swept')}),
    over AS (SELECT id, status FROM swept WHERE verdict IN ('cancelled', 'dead', 'timed_out')), ${forgetSuspensionsSql('over')}
    SELECT id, lane, pool, "flowId", "flowVersion", "userId", traceparent, verdict, attempt, failure, "requestId",
      "lostWorker", "acceptedAt", "wasRunning", "retryInMilliseconds"
    FROM swept WHERE verdict IN ('cancelled', 'dead', 'timed_out', 'delayed')
      OR verdict IN ('lost', 'orphaned', 'suspect') AND place <= $1 ORDER BY place`,
};

type SweptRow = Omit<SweptRun, 'queueSuspect'> & {
  readonly verdict: 'lost' | 'orphaned' | 'delayed' | 'suspect' | 'cancelled' | 'dead' | 'timed_out';
  readonly failure: string | null;
  readonly requestId: string | null;
  /** The worker whose lease expired. */
  readonly lostWorker: string | null;
  readonly acceptedAt: Date;
  /** Whether an executor had the run. */
  readonly wasRunning: boolean;
  /** The wait of a delayed run. */
  readonly retryInMilliseconds: number | null;
};

/** A run that a sweep has ended. */
export interface RunEndedBySweep extends FailedRun {
  /** Its last attempt, which was lost with its executor; null when no executor had the run. */
  readonly lost: (Omit<PublishedRun, 'id'> & LostRun) | null;
}

interface LostRun {
  readonly runId: string;
  readonly acceptedAt: Date;
}

export interface SweepOptions {
  readonly limit: number;
  readonly onEnded?: (run: RunEndedBySweep) => void;
  readonly onLost?: (attempt: LostAttempt) => void;
}

export interface Sweep {
  /** Runs that may need a message. */
  readonly runs: SweptRun[];
  /** Runs that this sweep has ended. */
  readonly ended: RunEndedBySweep[];
  /** Attempts whose lease expired, of runs that get another one. */
  readonly lost: LostAttempt[];
}

/** See RunStore.sweep. */
export async function sweepRuns(
  { database, isolatesLastAttempts }: Pick<RunStoreParts, 'database' | 'isolatesLastAttempts'>,
  limit: number,
): Promise<Sweep> {
  const rows = await database.transaction(async (connection) => {
    const lock = await connection.query<{ isOurs: boolean }>(TRY_LOCK);
    if (lock.rows[0]?.isOurs !== true) return [];
    return (await connection.query<SweptRow>({ ...SWEEP, values: [limit, isolatesLastAttempts] })).rows;
  });
  const sweep: Sweep = { runs: [], ended: [], lost: [] };
  for (const {
    verdict,
    attempt,
    failure,
    requestId,
    lostWorker,
    acceptedAt,
    wasRunning,
    retryInMilliseconds,
    ...run
  } of rows) {
    const { id: runId, flowId, userId, lane, pool, flowVersion, traceparent } = run;
    if (verdict === 'orphaned' || verdict === 'delayed') {
      const ids = { runId, flowId, userId, lane, pool, attempt, requestId };
      sweep.lost.push({ ...ids, worker: lostWorker, retryInMilliseconds });
    }
    if (verdict === 'delayed') continue;
    if (verdict === 'lost' || verdict === 'orphaned' || verdict === 'suspect')
      sweep.runs.push({ ...run, attempt, queueSuspect: verdict === 'suspect' });
    else {
      const ending = { status: verdict, attempt, failure: readFailure(failure), requestId };
      const ids = { runId, flowId, userId };
      const lost = { ...ids, attempt, flowVersion, lane, pool, traceparent, acceptedAt };
      sweep.ended.push({ ...ids, ...ending, lost: wasRunning ? lost : null });
    }
  }
  return sweep;
}
