import type { RetryRule, RunEnd, RunFailure } from '@millrace/contracts';
import type { RunRequest } from '@millrace/flow';
import type { Lane } from '@millrace/contracts';
import type { RunOrigin } from './run-record';

/** A worker asks for a run. */
export interface ClaimRequest {
  readonly runId: string;
  readonly worker: string;
  /** The broker gave the job again, so that whoever had it is believed gone: its lease no longer protects it. */
  readonly redelivered: boolean;
  /**
   * How long ago everybody was asked who has the run, to no answer; 0 unless given. A lease that was taken or renewed since
   * then is somebody's all the same.
   */
  readonly silentMilliseconds?: number;
  /**
   * This very claim was made before and its answer was lost: if the run is the worker's by now, nobody runs it, and the
   * lost attempt does not count.
   */
  readonly again?: boolean;
  /** A worker that said, when it stopped, that it does not have the run any more: its attempt does not count. */
  readonly leftBy?: string | undefined;
}

/** What a worker gets. */
export type Claim =
  | ClaimedRun
  | {
      /** It has ended, and this is how. */
      readonly outcome: 'finished';
      readonly status: RunEnd;
      readonly result: unknown;
      /** The result as it was stored, byte for byte. */
      readonly resultText: string | null;
      readonly failure: RunFailure | null;
      readonly attempt: number;
    }
  /** Another worker's lease on it is good. */
  | { readonly outcome: 'held'; readonly worker: string | null; readonly attempt: number }
  /** It had no attempt left, and this call made it dead. */
  | { readonly outcome: 'exhausted'; readonly attempt: number; readonly requestId: string | null }
  | { readonly outcome: 'unknown' };

/** The run is the worker's, for as long as it renews the lease. */
export interface ClaimedRun {
  readonly outcome: 'claimed';
  /** Every later write names it. */
  readonly attempt: number;
  /** Attempts that count, this one included: equal to `maximumAttempts` on the last. */
  readonly countedAttempts: number;
  readonly maximumAttempts: number;
  readonly retry: RetryRule | null;
  /** Attempts before this one that failed and were granted another. */
  readonly retries: number;
  /** Null when it was sealed with a key that is not configured here. */
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
  readonly requestId: string | null;
  readonly acceptedAt: Date;
}
