import type { Callback, RetryRule, RunRequest } from '@millrace/flow';
import type { Lane, RunEnd, RunFailure } from '@millrace/messages';
import type { RunUsage } from './run-usage';

export type RunStatus = 'accepted' | 'queued' | 'running' | 'suspended' | RunEnd;

/** The endpoint that started the run. */
export type RunOrigin = 'run' | 'webhook' | 'advanced';

/** A run to accept. */
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
  /** Runs of one flow with the same key are the same run. */
  readonly dedupeKey?: string | null;
  readonly limitMilliseconds: number;
  readonly maximumAttempts: number;
  /** Rule for retrying failed attempts. */
  readonly retry?: RetryRule | null;
  readonly traceparent?: string | null;
  /** Id of the HTTP request that started the run, so that the log line about its end can be found by it. */
  readonly requestId?: string | null;
  /** API key that asked for the run, of one that is stored after it began; that of others is in the request. */
  readonly keyId?: string | null;
  /** Where the end of the run is reported, in addition to the callbacks of its flow. */
  readonly callback?: Callback | null;
  /** The flow limits its concurrent runs, so each of them joins the backlog first. */
  readonly isLimited?: boolean;
}

/** A run as it is stored. */
export interface RunRecord {
  readonly id: string;
  readonly flowId: string;
  readonly flowVersion: number;
  readonly userId: string;
  readonly lane: Lane;
  readonly pool: string;
  readonly origin: RunOrigin;
  readonly status: RunStatus;
  /** The current or last attempt; 0 before the first. */
  readonly attempt: number;
  readonly sessionId: string;
  readonly acceptedAt: Date;
  readonly queuedAt: Date | null;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  readonly worker: string | null;
  /** Failed attempts that were retried by the flow's rule. */
  readonly retries: number;
  /** The run that this one replays. */
  readonly replayOf: string | null;
  /** Of the request that started the run; null when it was not traced. */
  readonly traceparent: string | null;
  /** The RunResponse of a run that succeeded. */
  readonly result: unknown;
  /** The result as it was stored, byte for byte. */
  readonly resultText: string | null;
  readonly failure: RunFailure | null;
  /** What the run used of models; null when no model was called. */
  readonly usage: RunUsage | null;
  readonly request: RunRequest | null;
}
