import type { NewRun, RunStatus } from '../run-record/run-record';

/** An event to store with its run. */
export interface NewTriggerEvent {
  readonly id: string;
  readonly triggerId: string;
  /** Events of one trigger with the same key are the same event. */
  readonly dedupeKey: string;
  /** JSON text. */
  readonly payload: string;
  readonly replayOf: string | null;
  readonly run: NewRun;
}

/** What became of an event that was to be stored. */
export interface EventAcceptance {
  /** The run of the event, or of an earlier event with its dedupe key; null when the trigger accepts no events. */
  readonly runId: string | null;
  /** False when an earlier event has the dedupe key. */
  readonly isNew: boolean;
  /** The run is in the user's backlog: it must not be published before it is released. */
  readonly isInBacklog: boolean;
  /** Another session locks the row of the trigger. The event is not stored; it can be offered again. */
  readonly isLocked?: true;
}

/** An entry of the ledger with the state of its run. */
export interface TriggerEventRecord {
  readonly id: string;
  readonly triggerId: string;
  readonly runId: string;
  readonly dedupeKey: string;
  readonly payload: string;
  readonly replayOf: string | null;
  readonly createdAt: Date;
  readonly status: RunStatus;
  /** Failed attempts that were retried. */
  readonly retries: number;
  readonly sessionId: string;
  readonly availableAt: Date;
  readonly updatedAt: Date;
}

/** The columns of a TriggerEventRecord, of events joined with their runs. */
export const EVENT_COLUMNS = `trigger_events.id, trigger_events.trigger_id AS "triggerId",
  trigger_events.run_id AS "runId", trigger_events.dedupe_key AS "dedupeKey", trigger_events.payload,
  trigger_events.replay_of AS "replayOf", trigger_events.created_at AS "createdAt", runs.status, runs.retries,
  runs.session_id AS "sessionId",
  CASE WHEN runs.status = 'accepted' AND runs.retries > 0 AND runs.next_sweep_at < 'infinity' THEN runs.next_sweep_at
    ELSE runs.accepted_at END AS "availableAt",
  coalesce(runs.finished_at, runs.started_at, runs.queued_at, runs.accepted_at) AS "updatedAt"`;
