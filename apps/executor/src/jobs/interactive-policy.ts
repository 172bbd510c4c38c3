import { machineTime } from '@millrace/service';
import type { Job } from '@millrace/messages';
import type { Verdict } from '@millrace/messaging';
import { toRunFailure } from '../attempts/run-failure';
import type { Settlement } from '../intake/in-flight-runs';
import type { DeliveredJob } from '../intake/read-job';
import type { AttemptEnd } from './decide-end';
import type { EndedRuns } from './ended-runs';
import type { InteractiveAttempt } from './interactive-attempt';
import type { InteractiveEnds } from './interactive-ends';
import type { InteractiveStarts } from './interactive-starts';
import type { EndedAttempt, JobPolicy } from './job-policy';

export interface InteractivePolicyDependencies {
  readonly starts: InteractiveStarts;
  readonly ends: InteractiveEnds;
  readonly ended: EndedRuns;
  readonly cancelledRuns: { has(runId: string): boolean };
}

/**
 * Runs without a row whose callers wait: executed, answered, recorded, then the delivery is settled. Errors before the
 * answer are reported to the caller; only a run whose executor crashed is retried without the caller noticing.
 */
export class InteractivePolicy implements JobPolicy<InteractiveAttempt> {
  readonly durable = false;
  readonly needsCaller = true;
  readonly #dependencies: InteractivePolicyDependencies;

  constructor(dependencies: InteractivePolicyDependencies) {
    this.#dependencies = dependencies;
  }

  /** The run waits for its slot as a running one, so that its caller can cancel it. */
  slotForClaim(): null {
    return null;
  }

  grant(delivered: DeliveredJob): Promise<InteractiveAttempt | Verdict> {
    return this.#dependencies.starts.start(delivered);
  }

  isCancelled(runId: string): boolean {
    return this.#dependencies.cancelledRuns.has(runId);
  }

  endLate(delivered: DeliveredJob, { deadline }: InteractiveAttempt): Promise<Verdict> | null {
    const late = machineTime() - deadline;
    return late < 0 ? null : this.#dependencies.ended.endLate(delivered, late);
  }

  deadline(_job: Job, { deadline }: InteractiveAttempt): number {
    return deadline;
  }

  end(ended: EndedAttempt<InteractiveAttempt>, end: AttemptEnd): Promise<Verdict> {
    return this.#dependencies.ends.end(ended, end);
  }

  /** Reports the error to the caller. */
  fail(delivered: DeliveredJob, _settlement: Settlement, error: unknown): Promise<Verdict> {
    const details = { attempt: null, error };
    return this.#dependencies.ended.endUnexecuted(delivered, 'failed', toRunFailure(error), details);
  }
}
