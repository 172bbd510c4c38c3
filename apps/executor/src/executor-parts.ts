import type { Job, RunEnd } from '@millrace/contracts';
import type { GroupCommit } from '@millrace/runs';
import type { Claim, ClaimRequest, FailedRunLog, MessageRow, RunCompletion } from '@millrace/runs';
import type { AttemptDependencies } from './attempts/attempt-order';
import type { CancelledRuns } from './intake/cancelled-runs';
import type { InFlightRuns } from './intake/in-flight-runs';
import type { ExecutorDependencies } from './executor-dependencies';
import type { UnreachableReplyQueues } from './replies/unreachable-reply-queues';
import type { InteractiveRecords } from './records/interactive-records';
import type { Peers } from './intake/peers';
import type { PlanCache } from './attempts/plan-cache';
import type { ResultCache } from './attempts/result-cache/result-cache';
import type { RunningAttempts } from './jobs/running-attempts';
import type { SentFrames } from './replies/sent-frames';
import type { Slots } from './intake/slots';
import type { Takeover } from './intake/takeover';
import type { WatchedFlows } from './replies/watched-flows';

/** The run that stored messages. */
export interface MessageOwner {
  readonly userId: string;
  readonly flowId: string;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
}

/** State and services that the job handlers share. */
export interface ExecutorParts extends ExecutorDependencies {
  readonly attempts: AttemptDependencies;
  readonly plans: PlanCache;
  readonly results: ResultCache;
  readonly slots: Slots;
  readonly inFlight: InFlightRuns;
  readonly running: RunningAttempts;
  readonly cancelledRuns: CancelledRuns;
  readonly unreachableQueues: UnreachableReplyQueues;
  readonly sentFrames: SentFrames;
  readonly takeover: Takeover;
  readonly peers: Peers;
  readonly watchedFlows: WatchedFlows;
  readonly claims: GroupCommit<ClaimRequest, Claim>;
  /** Resolves to true for each end that was stored, to false when another attempt owns the run. */
  readonly completions: GroupCommit<RunCompletion, boolean>;
  readonly records: InteractiveRecords;
  readonly failedRuns: FailedRunLog;
  /** Fires when the executor stops taking jobs; runs that have not started are returned to the queue. */
  readonly draining: AbortSignal;
  /** Fires when the time for a graceful stop is over; no operation waits for an outage to end after that. */
  readonly shutdownDeadline: AbortSignal;
  /**
   * Resolves when a read after the answer will see these messages: in the hot copy, or else in the database. Waits at
   * most until the run's deadline, and never rejects.
   */
  showMessages(run: MessageOwner, messages: readonly MessageRow[], recorded: Promise<unknown>): Promise<void>;
  /** Removes messages that were shown too early from the hot copies. Never rejects. */
  hideMessages(run: Omit<MessageOwner, 'deadline'>, messages: readonly MessageRow[]): Promise<void>;
  count(job: Job, status: RunEnd, milliseconds: number): void;
}
