import type { Verdict } from '@millrace/messaging';
import type { Claim, ClaimedRun, FailedRunLog } from '@millrace/runs';
import type { Logger } from '@millrace/service';
import { wholeRunFailure } from '../attempts/run-failure';
import type { Settlement } from '../intake/in-flight-runs';
import type { DeliveredJob } from '../intake/read-job';
import type { Takeover } from '../intake/takeover';
import type { GroupClaims } from '../records/group-claims';
import { storedBody } from '../replies/replies';
import type { Replies } from '../replies/replies';
import type { EndedRuns } from './ended-runs';

export interface DurableClaimsDependencies {
  readonly claims: GroupClaims;
  readonly takeover: Takeover;
  readonly worker: string;
  readonly replies: Replies;
  readonly ended: EndedRuns;
  readonly failedRuns: FailedRunLog;
  readonly logger: Logger;
}

/** Claims the runs of jobs for this executor. */
export class DurableClaims {
  readonly #dependencies: DurableClaimsDependencies;

  constructor(dependencies: DurableClaimsDependencies) {
    this.#dependencies = dependencies;
  }

  /** Resolves to the claim, or to the verdict on a job whose run has ended or belongs to another executor. */
  async claim(delivered: DeliveredJob, settlement: Settlement): Promise<ClaimedRun | Verdict> {
    const { replies, ended, failedRuns, logger } = this.#dependencies;
    const { job, delivery } = delivered;
    const { runId, flowId } = job;
    const { replyTo } = delivery;
    const claim = await this.#claim(delivered);
    switch (claim.outcome) {
      case 'claimed':
        settlement.onClaimed();
        return claim;
      case 'held':
        return 'done';
      case 'locked':
        logger.warn({ runId, flowId }, 'another session locks the row of a run; it is delivered again');
        // The sweeper publishes a queued run again only once its queue is empty.
        return delivered.isNearDeliveryLimit ? 'done' : 'retry';
      case 'finished': {
        const { attempt, status, resultText, failure } = claim;
        await replies.answer({ runId, replyTo, attempt }, status, storedBody(status, resultText, failure));
        return 'done';
      }
      case 'postponed':
        failedRuns.writeLost(claim.lost);
        return 'done';
      case 'exhausted': {
        const { attempt, requestId } = claim;
        const failure = wholeRunFailure(
          'attempts_exhausted',
          'Each attempt of the run ended without a result.',
        );
        return ended.endUnexecuted(delivered, 'dead', failure, { attempt, requestId });
      }
      case 'unknown': {
        logger.warn({ runId, flowId }, 'job without a run: the run is not in the database');
        const failure = wholeRunFailure('flow_refused', 'The flow has been deleted.');
        await replies.answer({ runId, replyTo }, 'failed', JSON.stringify(failure));
        return 'done';
      }
    }
  }

  /**
   * Claims the run. A lease also protects the run from a redelivery: the redelivery takes it over only when the executor
   * that holds the lease no longer executes it.
   */
  async #claim({ job: { runId, leftBy }, delivery: { redelivered } }: DeliveredJob): Promise<Claim> {
    const { claims, takeover, worker } = this.#dependencies;
    const order = { runId, worker, leftBy };
    const claim = await claims.add({ ...order, redelivered: false });
    if (!redelivered || claim.outcome !== 'held' || claim.worker === null || claim.attempt === 0)
      return claim;
    // This process has the run in flight through this delivery only: its earlier attempt ended and was not released.
    if (claim.worker === worker) return claims.add({ ...order, redelivered: false, leftBy: worker });
    const askedAt = performance.now();
    if ((await takeover.locate({ runId, holder: claim.worker })) !== 'nowhere') return claim;
    return claims.add({ ...order, redelivered: true, askedAt });
  }
}
