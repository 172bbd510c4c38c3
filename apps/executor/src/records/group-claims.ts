import { GroupCommit, isRowError } from '@millrace/runs';
import type { Claim, ClaimRequest, RunStore } from '@millrace/runs';
import type { Logger } from '@millrace/service';
import { retryDuringOutage, retryWhileLocked } from './retry-commit';

/**
 * During a database outage no executor can claim a run, so deliveries wait here. Returning them to the queue would use
 * up their delivery limit and dead-letter them.
 */
const OUTAGE_TIMEOUT_MILLISECONDS = 600_000;

/** A delivery that waits for its claim takes up a slot. After this time it goes back to its queue. */
const LOCK_TIMEOUT_MILLISECONDS = 3_000;

export interface GroupClaimsDependencies {
  readonly runs: RunStore;
  readonly worker: string;
  readonly logger: Logger;
  readonly shutdownDeadline: AbortSignal;
}

export interface GroupClaims {
  /** Resolves to `locked` when another session has locked the run for seconds. */
  add(claim: ClaimRequest): Promise<Claim>;
  close(): Promise<void>;
}

/** Creates the batch that claims many runs in few statements. */
export function groupClaims(dependencies: GroupClaimsDependencies): GroupClaims {
  const { runs, worker } = dependencies;
  const retryOptions = {
    ...dependencies,
    timeoutMilliseconds: OUTAGE_TIMEOUT_MILLISECONDS,
    activity: 'claiming runs',
  };
  const group = new GroupCommit<ClaimRequest, Claim>({
    commit: (claims) =>
      retryDuringOutage(retryOptions, async (again) => {
        // A batch can contain two deliveries of one run; the first one gets the claim.
        const first = new Map<string, ClaimRequest>();
        for (const claim of claims) if (!first.has(claim.runId)) first.set(claim.runId, claim);
        const found = await runs.claim(
          [...first.values()].map((claim) => ({ ...claim, again: again || claim.again === true })),
        );
        return claims.map((claim) =>
          first.get(claim.runId) === claim
            ? (found.get(claim.runId) ?? { outcome: 'unknown' })
            : { outcome: 'held', worker, attempt: 0 },
        );
      }),
    maximumWaitMilliseconds: 2,
    maximumItems: 200,
    maximumPending: 10_000,
    splitOn: isRowError,
  });
  const options = { ...dependencies, timeoutMilliseconds: LOCK_TIMEOUT_MILLISECONDS };
  return {
    async add(claim) {
      const answer = await retryWhileLocked(options, async (again) => {
        const found = await group.add({ ...claim, again });
        return found.outcome === 'locked' ? null : found;
      });
      return answer ?? { outcome: 'locked' };
    },
    close: () => group.close(),
  };
}
