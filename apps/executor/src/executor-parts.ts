import type { Job, RunEnd } from '@millrace/contracts';
import type { GroupCommit } from '@millrace/runs';
import type { Claim, ClaimRequest, MessageRow, RunCompletion } from '@millrace/runs';
import type { AttemptDependencies } from './attempt';
import type { CancelledRuns } from './cancelled-runs';
import type { ExecutorDependencies } from './executor-dependencies';
import type { InteractiveRecords } from './interactive-records';
import type { PlanCache } from './plan-cache';
import type { RunningAttempts } from './running-attempts';
import type { Slots } from './slots';
import type { Takeover } from './takeover';

/** What the job handlers share. */
export interface ExecutorParts extends ExecutorDependencies {
  readonly attempts: AttemptDependencies;
  readonly plans: PlanCache;
  readonly slots: Slots;
  readonly running: RunningAttempts;
  readonly cancelled: CancelledRuns;
  readonly takeover: Takeover;
  readonly claims: GroupCommit<ClaimRequest, Claim>;
  /** True for each end that was stored, false when another attempt owns the run. */
  readonly completions: GroupCommit<RunCompletion, boolean>;
  readonly records: InteractiveRecords;
  /** Fires when the executor stops taking work. */
  readonly closing: AbortSignal;
  /** Resolves when a read after the answer will see these messages: in the hot copy, or else in the database. */
  showMessages(
    userId: string,
    flowId: string,
    messages: readonly MessageRow[],
    recorded: Promise<void>,
  ): Promise<void>;
  count(job: Job, status: RunEnd, milliseconds: number): void;
}
