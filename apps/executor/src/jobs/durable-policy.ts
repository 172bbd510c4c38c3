import { machineTime } from '@millrace/service';
import type { Job } from '@millrace/messages';
import type { Verdict } from '@millrace/messaging';
import type { ClaimedRun } from '@millrace/runs';
import type { Logger, SharedClock } from '@millrace/service';
import type { SlotKind } from '../attempts/slots';
import type { Settlement } from '../intake/in-flight-runs';
import type { DeliveredJob } from '../intake/read-job';
import type { AttemptEnd } from './decide-end';
import type { DurableClaims } from './durable-claims';
import type { DurableEnds } from './durable-ends';
import type { EndedAttempt, JobPolicy } from './job-policy';
import { remainingMilliseconds } from '../intake/remaining-milliseconds';

export interface DurablePolicyDependencies {
  readonly claims: DurableClaims;
  readonly ends: DurableEnds;
  readonly clock: SharedClock;
  readonly logger: Logger;
  /** Fires when the time for a graceful stop is over. */
  readonly shutdownDeadline: AbortSignal;
  /** Resolves to false when the run could not be handed off. Never rejects. */
  handOff(delivered: DeliveredJob, error: unknown): Promise<boolean>;
}

/**
 * Runs with a row: claimed (fenced), executed, completed (fenced), then answered, then the delivery is settled. The row
 * decides; the message is a hint that can arrive twice or after the run has ended.
 */
export class DurablePolicy implements JobPolicy<ClaimedRun> {
  readonly durable = true;
  /** The result can be fetched later. */
  readonly needsCaller = false;
  readonly #dependencies: DurablePolicyDependencies;

  constructor(dependencies: DurablePolicyDependencies) {
    this.#dependencies = dependencies;
  }

  /** Runs wait for a slot without a claim, so that an executor with free slots can claim them. */
  slotForClaim({ job, isolated }: DeliveredJob): SlotKind {
    // Quarantined jobs arrive one at a time; a job that waits for a slot would block the quarantine.
    return job.lane === 'interactive' || isolated ? 'shared' : 'unreserved';
  }

  grant(delivered: DeliveredJob, settlement: Settlement): Promise<ClaimedRun | Verdict> {
    return this.#dependencies.claims.claim(delivered, settlement);
  }

  /** The row has the cancellation: the claim and the heartbeats read it. */
  isCancelled(): boolean {
    return false;
  }

  /** A late attempt begins, so that its end is stored: `timed_out`. */
  endLate(): null {
    return null;
  }

  deadline(job: Job, { limitMilliseconds }: ClaimedRun): number {
    return machineTime() + Math.min(limitMilliseconds, remainingMilliseconds(job, this.#dependencies.clock));
  }

  end(ended: EndedAttempt<ClaimedRun>, end: AttemptEnd): Promise<Verdict> {
    return this.#dependencies.ends.end(ended, end);
  }

  /** Hands the run off if the shutdown deadline passed before the run could be released. */
  async fail(delivered: DeliveredJob, settlement: Settlement, error: unknown): Promise<Verdict> {
    const { shutdownDeadline, handOff, logger } = this.#dependencies;
    if (shutdownDeadline.aborted && (await handOff(delivered, error))) return 'done';
    // Its message is already settled, so the consumer does not report the error.
    if (settlement.isSettled)
      logger.error(
        { error, runId: delivered.job.runId },
        'a run failed after its message was settled; its lease will expire and it will be retried',
      );
    throw error;
  }
}
