import type { Job, RunEnd } from '@millrace/contracts';
import type { GroupCommit } from '@millrace/runs';
import type { Claim, ClaimRequest, FailedRunLog, MessageRow, RunCompletion } from '@millrace/runs';
import type { AttemptDependencies } from './attempt';
import type { CancelledRuns } from './cancelled-runs';
import type { DeliveriesInHand } from './deliveries-in-hand';
import type { ExecutorDependencies } from './executor-dependencies';
import type { GoneGateways } from './gone-gateways';
import type { InteractiveRecords } from './interactive-records';
import type { Peers } from './peers';
import type { PlanCache } from './plan-cache';
import type { ResultCache } from './result-cache/result-cache';
import type { RunningAttempts } from './running-attempts';
import type { SentFrames } from './sent-frames';
import type { Slots } from './slots';
import type { Takeover } from './takeover';
import type { WatchedFlows } from './watched-flows';

/** Whose messages they are. */
export interface MessagesOf {
  readonly userId: string;
  readonly flowId: string;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
}

/** What the job handlers share. */
export interface ExecutorParts extends ExecutorDependencies {
  readonly attempts: AttemptDependencies;
  readonly plans: PlanCache;
  readonly results: ResultCache;
  readonly slots: Slots;
  readonly inHand: DeliveriesInHand;
  readonly running: RunningAttempts;
  readonly cancelled: CancelledRuns;
  readonly gone: GoneGateways;
  readonly sent: SentFrames;
  readonly takeover: Takeover;
  readonly peers: Peers;
  readonly watched: WatchedFlows;
  readonly claims: GroupCommit<ClaimRequest, Claim>;
  /** True for each end that was stored, false when another attempt owns the run. */
  readonly completions: GroupCommit<RunCompletion, boolean>;
  readonly records: InteractiveRecords;
  readonly failedRuns: FailedRunLog;
  /** Fires when the executor stops taking work: what has not started is given back. */
  readonly draining: AbortSignal;
  /** Fires when the time for a graceful stop is over: nothing waits for an outage to end any more. */
  readonly leaving: AbortSignal;
  /**
   * Resolves when a read after the answer will see these messages: in the hot copy, or else in the database. Waits no
   * longer than the run's deadline, and never rejects.
   */
  showMessages(run: MessagesOf, messages: readonly MessageRow[], recorded: Promise<unknown>): Promise<void>;
  /** Takes messages that were shown too early out of the hot copies. Never rejects. */
  hideMessages(run: Omit<MessagesOf, 'deadline'>, messages: readonly MessageRow[]): Promise<void>;
  count(job: Job, status: RunEnd, milliseconds: number): void;
}
