import type { Job } from '@millrace/contracts';
import type { Delivery } from '@millrace/messaging';
import type { Claim } from '@millrace/runs';
import type { ExecutorParts } from '../executor-parts';

/**
 * Claims the run of a job for this executor. A lease also protects the run from a redelivery: the redelivery takes it
 * over only when the executor that holds the lease no longer executes it.
 */
export async function claimJob(
  { claims, takeover, worker }: Pick<ExecutorParts, 'claims' | 'takeover' | 'worker'>,
  { runId, leftBy }: Job,
  { redelivered }: Delivery,
): Promise<Claim> {
  const order = { runId, worker, leftBy };
  const claim = await claims.add({ ...order, redelivered: false });
  if (!redelivered || claim.outcome !== 'held' || claim.worker === null || claim.attempt === 0) return claim;
  // This process has the run in flight through this delivery only: its earlier attempt ended and was not released.
  if (claim.worker === worker) return claims.add({ ...order, redelivered: false, leftBy: worker });
  const askedAt = performance.now();
  if ((await takeover.locate({ runId, holder: claim.worker })) !== 'nowhere') return claim;
  return claims.add({ ...order, redelivered: true, unansweredMilliseconds: performance.now() - askedAt });
}
