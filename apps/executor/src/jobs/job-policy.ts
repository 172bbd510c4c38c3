import type { Job } from '@millrace/messages';
import type { Verdict } from '@millrace/messaging';
import type { ClaimedRun } from '@millrace/runs';
import type { AttemptOutcome } from '../attempts/attempt-outcome';
import type { Slot, SlotKind } from '../attempts/slots';
import type { Settlement } from '../intake/in-flight-runs';
import type { DeliveredJob } from '../intake/read-job';
import type { ReplyStream } from '../replies/reply-stream';
import type { RunReport } from '../replies/watched-flows';
import type { AttemptEnd } from './decide-end';

/** An attempt that this executor may execute: the members of a claim that runs without a row have, too. */
export type GrantedAttempt = Pick<
  ClaimedRun,
  | 'attempt'
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
> & { readonly requestId?: string | null };

/** An attempt that has been executed, or could not be. */
export interface EndedAttempt<Granted extends GrantedAttempt> {
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
export interface JobPolicy<Granted extends GrantedAttempt> {
  /** True when the run has a row before its first attempt: it is claimed, its lease renewed, its effects recorded. */
  readonly durable: boolean;
  /** True when a run without a reachable caller is cancelled. */
  readonly needsCaller: boolean;

  /** Returns the slot without which a run is not claimed; null when only its attempt needs a slot. */
  slotForClaim(delivered: DeliveredJob): SlotKind | null;

  /** Resolves to the attempt to execute, or to the verdict on a job of which this executor executes no attempt. */
  grant(delivered: DeliveredJob, settlement: Settlement): Promise<Granted | Verdict>;

  /** Returns whether the run was cancelled before its attempt was registered as running. */
  isCancelled(runId: string): boolean;

  /** Ends the run if it must not be started any more; returns null when it can start. */
  endLate(delivered: DeliveredJob, granted: Granted): Promise<Verdict> | null;

  /** Returns the deadline of an attempt that starts now, in milliseconds since the epoch by this machine's clock. */
  deadline(job: Job, granted: Granted): number;

  /** Does what was decided: stores, answers, releases. Resolves to the verdict on the delivery. */
  end(ended: EndedAttempt<Granted>, end: AttemptEnd): Promise<Verdict>;

  /** Handles an error outside of the attempt. Rejects when the delivery must be returned to the queue. */
  fail(delivered: DeliveredJob, settlement: Settlement, error: unknown): Promise<Verdict>;
}
