import type { CachePolicy } from '@millrace/messages';
import type { Plan, PlanVertex } from '@millrace/flow';
import type { RunFootprint } from './run-footprint';

/**
 * Returns whether the result of a run can be reused for the same request: every vertex that ran must be known to allow
 * it.
 */
export function isCacheable(plan: Plan, footprint: RunFootprint, policy: CachePolicy): boolean {
  const { ran, hasUsedHttp, hasEffects, hasUsedResources, isSmall } = footprint;
  if (hasEffects || hasUsedResources || !isSmall || (hasUsedHttp && !policy.byAuthor)) return false;
  return plan.vertices.every((vertex) => !ran.has(vertex.id) || isRepeatable(vertex, policy));
}

/**
 * Returns whether every run of the flow is known to be cacheable before it starts; then waiting for an equal run is
 * useful.
 */
export function isAlwaysCacheable({ vertices }: Plan, policy: CachePolicy): boolean {
  return vertices.every((vertex) => isRepeatable(vertex, policy));
}

function isRepeatable({ component }: PlanVertex, { byAuthor }: CachePolicy): boolean {
  return component?.deterministic === true || (byAuthor && component?.reusable === true);
}
