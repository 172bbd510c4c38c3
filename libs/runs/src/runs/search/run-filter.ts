import type { RunOrigin, RunStatus } from '../../run-record/run-record';

/** Selects runs. Absent members select all. */
export interface RunFilter {
  /** The owner; null for the runs of all users. */
  readonly userId: string | null;
  readonly flowId?: string | undefined;
  /** The project that has the flow now. */
  readonly projectId?: string | undefined;
  /** A version of the flow; useful with `flowId` only. */
  readonly flowVersion?: number | undefined;
  readonly statuses?: readonly RunStatus[] | undefined;
  readonly origin?: RunOrigin | undefined;
  readonly pool?: string | undefined;
  readonly sessionId?: string | undefined;
  /** The code of the failure. */
  readonly errorCode?: string | undefined;
  /** The id of the vertex that failed. */
  readonly vertexId?: string | undefined;
  /** Of whose calls one asked this model. */
  readonly model?: string | undefined;
  /** The API key that asked for the run, of runs that had a row before they started; those of webhooks, schedules and queues have none. */
  readonly keyId?: string | undefined;
  /** Accepted at this time or later. */
  readonly acceptedFrom?: Date | undefined;
  /** Accepted before this time. */
  readonly acceptedBefore?: Date | undefined;
}

/** The place of a run in the order of acceptance. */
export interface RunPosition {
  /** Microseconds since the epoch, as the database has them. */
  readonly acceptedAtMicroseconds: number;
  readonly id: string;
}

/** A part of the selected runs. */
export interface RunPage {
  readonly limit: number;
  /** Continues behind this position. */
  readonly after?: RunPosition | undefined;
}

/** Statuses of runs that ended without success. Each has a failure. */
export const UNSUCCESSFUL_STATUSES: ReadonlySet<RunStatus> = new Set<RunStatus>([
  'failed',
  'cancelled',
  'timed_out',
  'dead',
]);

/** Statuses of runs that have not ended. */
export const UNFINISHED_STATUSES: readonly RunStatus[] = ['accepted', 'queued', 'running', 'suspended'];
