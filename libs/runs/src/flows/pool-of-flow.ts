import type { FlowReference } from './flow-record';

const DEFAULT_POOL = 'default';

/**
 * Returns the pool that runs a flow. `pythonPool` is the pool of flows that need Python and name no pool; null when they go to
 * the pool of all others.
 */
export function poolOfFlow(
  { settings, needsPython }: Pick<FlowReference, 'settings' | 'needsPython'>,
  pythonPool: string | null,
): string {
  return settings.pool ?? (needsPython ? pythonPool : null) ?? DEFAULT_POOL;
}
