import { GroupCommit, isRowError } from '@millrace/runs';
import type { Claim, ClaimRequest, RunStore } from '@millrace/runs';
import type { Logger } from '@millrace/service';
import { patientCommit } from './patient-commit';

/**
 * As long as the database is away nothing can be claimed anywhere: deliveries wait here, which holds the queue up where
 * it is, instead of going round until their delivery limit makes dead letters of them.
 */
const PATIENCE_MILLISECONDS = 600_000;

export interface GroupClaimsDependencies {
  readonly runs: RunStore;
  readonly worker: string;
  readonly logger: Logger;
  readonly leaving: AbortSignal;
}

/** Claims of many runs in few statements. */
export function groupClaims(dependencies: GroupClaimsDependencies): GroupCommit<ClaimRequest, Claim> {
  const { runs, worker } = dependencies;
  const patience = { ...dependencies, patienceMilliseconds: PATIENCE_MILLISECONDS, what: 'claiming runs' };
  return new GroupCommit<ClaimRequest, Claim>({
    commit: (claims) =>
      patientCommit(patience, async (again) => {
        // Two deliveries of one run may meet in one batch: the first one has it.
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
    splitOn: isRowError,
  });
}
