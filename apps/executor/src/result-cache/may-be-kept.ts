import type { CachePolicy } from '@millrace/contracts';
import type { Plan, PlanVertex } from '@millrace/flow';
import type { RunFootprint } from './run-footprint';

/** Whether what a run gave answers the same question again: each vertex that ran is one of which that is known. */
export function mayBeKept(plan: Plan, footprint: RunFootprint, policy: CachePolicy): boolean {
  const { ran, hasCalled, hasActed, hasUsedResources, isSmall } = footprint;
  if (hasActed || hasUsedResources || !isSmall || (hasCalled && !policy.byAuthor)) return false;
  return plan.vertices.every((vertex) => !ran.has(vertex.id) || answersAgain(vertex, policy));
}

/** Whether that is known of every run of the flow before it begins, so that it is worth waiting for an equal one. */
export function willBeKept({ vertices }: Plan, policy: CachePolicy): boolean {
  return vertices.every((vertex) => answersAgain(vertex, policy));
}

function answersAgain({ component }: PlanVertex, { byAuthor }: CachePolicy): boolean {
  return component?.deterministic === true || (byAuthor && component?.reusable === true);
}
