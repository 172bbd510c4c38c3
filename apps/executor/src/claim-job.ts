import type { Job } from '@millrace/contracts';
import type { Delivery } from '@millrace/messaging';
import type { Claim } from '@millrace/runs';
import type { ExecutorParts } from './executor-parts';

/**
 * Claims the run of a job for this executor. A lease protects it from a redelivery, too: only when the executor that holds
 * the run has died does the redelivery take it over.
 */
export async function claimJob(
  { claims, takeover, worker }: Pick<ExecutorParts, 'claims' | 'takeover' | 'worker'>,
  { runId, leftBy }: Job,
  { redelivered }: Delivery,
): Promise<Claim> {
  const order = { runId, worker, leftBy };
  const claim = await claims.add({ ...order, redelivered: false });
  if (!redelivered || claim.outcome !== 'held' || claim.worker === null || claim.attempt === 0) return claim;
  // This process has the run in hand through this delivery alone: its earlier attempt ended and was not given back.
  if (claim.worker === worker) return claims.add({ ...order, redelivered: false, leftBy: worker });
  const askedAt = performance.now();
  if ((await takeover.whoHas({ runId, holder: claim.worker })) !== 'nowhere') return claim;
  return claims.add({ ...order, redelivered: true, silentMilliseconds: performance.now() - askedAt });
}
