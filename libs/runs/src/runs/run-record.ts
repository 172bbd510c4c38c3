import type { Lane, RetryRule, RunEnd, RunFailure } from '@millrace/contracts';
import type { RunRequest } from '@millrace/flow';

export type RunStatus = 'accepted' | 'queued' | 'running' | RunEnd;

/** Which endpoint asked for the run. */
export type RunOrigin = 'run' | 'webhook' | 'advanced';

/** A run to be. */
export interface NewRun {
  readonly id: string;
  readonly flowId: string;
  readonly flowVersion: number;
  readonly userId: string;
  readonly lane: Lane;
  readonly pool: string;
  readonly origin: RunOrigin;
  readonly request: RunRequest;
  readonly sessionId: string;
  /** Runs of one flow with the same key are one run. */
  readonly dedupeKey?: string | null;
  readonly limitMilliseconds: number;
  readonly maximumAttempts: number;
  /** When an attempt that failed is followed by another. */
  readonly retry?: RetryRule | null;
  readonly traceparent?: string | null;
  /** The HTTP request that asked for it, so that a line about its end can be found by that. */
  readonly requestId?: string | null;
  /** Its flow limits how many of its runs go on at a time, so that each must wait for its turn. */
  readonly isLimited?: boolean;
}

/** A run as it is kept. */
export interface RunRecord {
  readonly id: string;
  readonly flowId: string;
  readonly flowVersion: number;
  readonly userId: string;
  readonly lane: Lane;
  readonly pool: string;
  readonly origin: RunOrigin;
  readonly status: RunStatus;
  /** The attempt that is running or was the last; 0 before the first. */
  readonly attempt: number;
  readonly sessionId: string;
  readonly acceptedAt: Date;
  readonly queuedAt: Date | null;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  readonly worker: string | null;
  /** Attempts that failed and were granted another one by the flow's rule. */
  readonly retries: number;
  /** The run that this one replays. */
  readonly replayOf: string | null;
  /** The RunResponse of a run that succeeded. */
  readonly result: unknown;
  /** The same as it was stored, byte for byte. */
  readonly resultText: string | null;
  readonly failure: RunFailure | null;
  readonly request: RunRequest | null;
}
