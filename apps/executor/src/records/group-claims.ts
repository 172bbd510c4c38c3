import { GroupCommit, isRowError, OVERTAKE_AFTER_MILLISECONDS } from '@millrace/runs';
import type { Claim, ClaimRequest, RunStore } from '@millrace/runs';
import type { Logger } from '@millrace/service';
import { retryDuringOutage } from './retry-during-outage';

/**
 * During a database outage no executor can claim a run, so deliveries wait here. Returning them to the queue would use
 * up their delivery limit and dead-letter them.
 */
const OUTAGE_TIMEOUT_MILLISECONDS = 600_000;

export interface GroupClaimsDependencies {
  readonly runs: RunStore;
  readonly worker: string;
  readonly logger: Logger;
  readonly shutdownDeadline: AbortSignal;
}

/** Creates the batch that claims many runs in few statements. */
export function groupClaims(dependencies: GroupClaimsDependencies): GroupCommit<ClaimRequest, Claim> {
  const { runs, worker } = dependencies;
  const retryOptions = {
    ...dependencies,
    timeoutMilliseconds: OUTAGE_TIMEOUT_MILLISECONDS,
    activity: 'claiming runs',
  };
  return new GroupCommit<ClaimRequest, Claim>({
    commit: (claims) =>
      retryDuringOutage(retryOptions, async (again) => {
        // A batch can contain two deliveries of one run; the first one gets the claim.
        const first = new Map<string, ClaimRequest>();
        for (const claim of claims) if (!first.has(claim.runId)) first.set(claim.runId, claim);
        const found = await runs.claim([...first.values()].map((claim) => ({ ...claim, again })));
        return claims.map((claim) =>
          first.get(claim.runId) === claim
            ? (found.get(claim.runId) ?? { outcome: 'unknown' })
            : { outcome: 'held', worker, attempt: 0 },
        );
      }),
    maximumWaitMilliseconds: 2,
    maximumItems: 200,
    maximumPending: 10_000,
    overtakeAfterMilliseconds: OVERTAKE_AFTER_MILLISECONDS,
    splitOn: isRowError,
  });
}
