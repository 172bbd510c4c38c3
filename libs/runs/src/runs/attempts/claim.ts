import type { Lane, RunEnd, RunFailure } from '@millrace/messages';
import type { RecordSettings, RetryRule, RunRequest } from '@millrace/flow';
import type { LostAttempt } from './failed-run-log';
import type { RepeatReason } from './repeat-reason';
import type { RunOrigin } from '../../run-record/run-record';

/** A worker's request to claim a run. */
export interface ClaimRequest {
  readonly runId: string;
  readonly worker: string;
  /** The broker redelivered the job, so the previous worker is presumed dead: its lease no longer protects the run. */
  readonly redelivered: boolean;
  /**
   * When all executors were asked who has the run, without an answer, by `performance.now()`; unless given, when the claim
   * is made. A lease that was taken or renewed since then still protects the run.
   */
  readonly askedAt?: number;
  /**
   * The same claim was made before and its answer was lost: if the run belongs to this worker by now, it is not
   * running, and the lost attempt does not count.
   */
  readonly again?: boolean;
  /** The worker that handed the run off when it stopped: its attempt does not count. */
  readonly leftBy?: string | undefined;
}

/** Outcome of a claim. */
export type Claim =
  | ClaimedRun
  | {
      /** The run has ended. */
      readonly outcome: 'finished';
      readonly status: RunEnd;
      /** The result as it was stored, byte for byte; `wholeResult` reads it where it is in the object store. */
      readonly resultText: string | null;
      readonly failure: RunFailure | null;
      readonly attempt: number;
    }
  /** Another worker has a valid lease. */
  | { readonly outcome: 'held'; readonly worker: string | null; readonly attempt: number }
  /** The run had no attempt left; this call marked it dead. */
  | { readonly outcome: 'exhausted'; readonly attempt: number; readonly requestId: string | null }
  /** Executors of the run were lost repeatedly: it waits, and the sweeper publishes it again after the wait. */
  | { readonly outcome: 'postponed'; readonly lost: LostAttempt }
  /** Another session locks the row of the run. */
  | { readonly outcome: 'locked' }
  | { readonly outcome: 'unknown' };

/** The worker owns the run for as long as it renews the lease. */
export interface ClaimedRun {
  readonly outcome: 'claimed';
  /** Fencing token: every later write of this attempt includes it. */
  readonly attempt: number;
  /** Number of counted attempts including this one; equal to `maximumAttempts` on the last. */
  readonly countedAttempts: number;
  /** How many requests for human input were answered; null for a first attempt. */
  readonly answers: number | null;
  readonly maximumAttempts: number;
  readonly retry: RetryRule | null;
  /** Earlier attempts that failed and were retried by the flow's rule. */
  readonly retries: number;
  /** Null when it was sealed with a key that is not configured. */
  readonly request: RunRequest | null;
  readonly flowId: string;
  readonly flowVersion: number;
  readonly userId: string;
  readonly lane: Lane;
  readonly pool: string;
  readonly origin: RunOrigin;
  readonly sessionId: string;
  readonly limitMilliseconds: number;
  readonly traceparent: string | null;
  /** For a replay: the `traceparent` of the run that it replays, while that run is stored. */
  readonly replayedTraceparent: string | null;
  readonly requestId: string | null;
  /** API key that asked for the run. */
  readonly keyId: string | null;
  /** By the database's clock. */
  readonly acceptedAt: Date;
  /** What earlier attempts used, as a RunUsage in JSON text. */
  readonly usage: string | null;
  /** The flow's setting for what is kept of its runs, if it has one. */
  readonly recordSettings: RecordSettings | null;
  /** Null for a first attempt. */
  readonly repeatReason: RepeatReason | null;
  /** The worker of the attempt before, if it is still in the row. */
  readonly previousWorker: string | null;
}
