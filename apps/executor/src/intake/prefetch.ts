import type { ExecutorDependencies } from '../executor-dependencies';

/** Deliveries that are prefetched beyond the slots unless given: they wait for a free slot or for their record. */
export const PREFETCH_AHEAD = 64;

/** Returns how many deliveries of runs with a waiting caller an executor takes at once. */
export function interactivePrefetch({
  concurrency,
  prefetchAhead = PREFETCH_AHEAD,
}: Pick<ExecutorDependencies, 'concurrency' | 'prefetchAhead'>): number {
  return concurrency + prefetchAhead;
}
