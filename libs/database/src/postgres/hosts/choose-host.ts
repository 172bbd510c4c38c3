import type { PostgresTarget } from '@millrace/service';
import type { HostReport, HostState } from './host-report';

/** The newest timeline that this process has connected to. */
export interface Fence {
  readonly system: string | undefined;
  readonly timeline: number;
}

export interface HostChoice {
  /** Undefined when no host can be used. */
  readonly chosen: HostReport | undefined;
  /** Why each other host is not used, by the position in the address. */
  readonly reasons: readonly (string | undefined)[];
}

/**
 * Chooses the host for new connections: among those that fit the target, that with the newest timeline, then the
 * current one, then the first in the address. A server on an older timeline than the fence is a former primary.
 */
export function chooseHost(
  reports: readonly HostReport[],
  target: PostgresTarget,
  fence: Fence | undefined,
  currentHost: string | undefined,
): HostChoice {
  const reasons = reports.map(({ state, reason }) =>
    state === undefined ? (reason ?? 'did not answer') : refusal(state, target, fence),
  );
  const usable = reports.filter((_, index) => reasons[index] === undefined);
  const rank = ({ state, host }: HostReport) =>
    (target === 'any' ? 0 : (state?.timeline ?? 0)) * 2 + (host === currentHost ? 1 : 0);
  const [chosen] = usable.sort((one, other) => rank(other) - rank(one));
  return { chosen, reasons };
}

/** Returns why a server in this state is not used, as the end of a sentence; undefined when it can be used. */
export function refusal(
  { isInRecovery, isReadOnly, system, timeline }: HostState,
  target: PostgresTarget,
  fence: Fence | undefined,
): string | undefined {
  if (target === 'any') return undefined;
  if (target === 'standby') return isInRecovery ? undefined : 'is no standby';
  if (isInRecovery) return 'is a standby';
  if (target === 'read-write' && isReadOnly) return 'is read-only';
  if (fence === undefined) return undefined;
  if (fence.system !== undefined && system !== undefined && system !== fence.system)
    return 'belongs to another cluster than the server that was used before';
  if (timeline < fence.timeline)
    return `is a former primary: its timeline is ${timeline}, and ${fence.timeline} was used before`;
  return undefined;
}
