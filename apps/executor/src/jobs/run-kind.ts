import type { Job } from '@millrace/messages';
import type { Verdict } from '@millrace/messaging';
import type { ClaimedRun } from '@millrace/runs';
import type { AttemptOutcome } from '../attempts/attempt-outcome';
import type { Slot } from '../attempts/running-attempts';
import type { Settlement } from '../intake/in-flight-runs';
import type { DeliveredJob } from '../intake/read-job';
import type { ReplyStream } from '../replies/replies';
import type { RunReport } from '../replies/watched-flows';
import type { AttemptDecision } from './decide-after-attempt';

/** An attempt that this executor may execute: what it needs of a claim, which a run without a row has, too. */
export type GrantedAttempt = Pick<
  ClaimedRun,
  | 'attempt'
  | 'answers'
  | 'countedAttempts'
  | 'maximumAttempts'
  | 'retries'
  | 'retry'
  | 'request'
  | 'userId'
  | 'flowId'
  | 'flowVersion'
  | 'acceptedAt'
  | 'usage'
  | 'recordSettings'
  | 'traceparent'
  | 'replayedTraceparent'
  | 'repeatReason'
  | 'previousWorker'
  | 'keyId'
> & { readonly requestId?: string | null };

/** An attempt with its outcome. */
export interface ExecutedAttempt<Granted extends GrantedAttempt> {
  readonly delivered: DeliveredJob;
  readonly granted: Granted;
  readonly settlement: Settlement;
  /** Null when the executor stopped before there was one. */
  readonly slot: Slot | null;
  readonly replies: ReplyStream | null;
  /** Reports to the watchers of the flow; null when there are none. */
  readonly report: RunReport | null;
  /** By the database's clock. */
  readonly startedAt: number;
  readonly milliseconds: number;
  readonly outcome: AttemptOutcome;
}

/** What differs between runs with a row, which are claimed, and runs whose callers wait for the first attempt. */
export interface RunKind<Granted extends GrantedAttempt> {
  /**
   * True when the run has a row before its first attempt: it takes a slot, is claimed, its lease renewed, its effects
   * recorded, and its result can be fetched later. Otherwise its caller waits: without a reachable one it is cancelled.
   */
  readonly durable: boolean;

  /** Resolves to the attempt to execute, or to the verdict on a job of which this executor executes no attempt. */
  grant(delivered: DeliveredJob, settlement: Settlement): Promise<Granted | Verdict>;

  /** Returns the deadline of an attempt that starts now, in milliseconds since the epoch by this machine's clock. */
  deadline(job: Job, granted: Granted): number;

  /** Does what was decided: stores, answers, releases. Resolves to the verdict on the delivery. */
  settle(attempt: ExecutedAttempt<Granted>, decision: AttemptDecision): Promise<Verdict>;

  /** Handles an error outside of the attempt. Rejects when the delivery must be returned to the queue. */
  settleError(delivered: DeliveredJob, settlement: Settlement, error: unknown): Promise<Verdict>;
}
