import type { ScalingPolicy, ScalingRule } from './scaling-rule';

const TOLERANCE = 0.1;
/** The interval at which the HorizontalPodAutoscaler decides; KEDA asks at the same one with the values of the chart. */
export const STEP_SECONDS = 15;

interface Change {
  readonly at: number;
  readonly pods: number;
}

/**
 * The arithmetic of KEDA and of a HorizontalPodAutoscaler with an AverageValue, with the policies of a ScaledObject: KEDA
 * starts the first pod and removes the last ones; in between the number of pods follows the need, within a tolerance, at
 * most as fast as a policy permits, and down only to the highest need of a window. Sources:
 * kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale, "Algorithm details" and "Configurable scaling
 * behavior"; keda.sh/docs/latest/concepts/scaling-deployments.
 */
export class Autoscaler {
  readonly #rule: ScalingRule;
  #needs: Change[] = [];
  #changes: Change[] = [];
  #activeAt = -Infinity;

  constructor(rule: ScalingRule) {
    this.#rule = rule;
  }

  /** Returns the number of pods after a decision at this time, in seconds. */
  next(at: number, pods: number, runs: number): number {
    const { minReplicas, cooldownSeconds, activationRuns } = this.#rule;
    if (runs > activationRuns) this.#activeAt = at;
    const isActive = this.#activeAt === at;
    if (pods === 0) return isActive ? Math.max(1, minReplicas) : 0;
    if (!isActive && minReplicas === 0 && at - this.#activeAt >= cooldownSeconds) return 0;
    const next = this.#withinPolicies(at, pods, this.#stabilized(at, pods, runs));
    if (next !== pods) this.#changes.push({ at, pods: next - pods });
    return next;
  }

  #stabilized(at: number, pods: number, runs: number): number {
    const { targetRuns, minReplicas, maxReplicas, up, down } = this.#rule;
    const isEnough = Math.abs(runs / (targetRuns * pods) - 1) <= TOLERANCE;
    const need = isEnough ? pods : Math.ceil(runs / targetRuns);
    const bounded = Math.min(maxReplicas, Math.max(minReplicas, 1, need));
    const window = Math.max(up.stabilizationWindowSeconds, down.stabilizationWindowSeconds);
    this.#needs = [...this.#needs.filter((one) => at - one.at < window), { at, pods: bounded }];
    const within = (seconds: number) =>
      this.#needs.filter((one) => one.at === at || at - one.at < seconds).map((one) => one.pods);
    const least = Math.min(...within(up.stabilizationWindowSeconds));
    const most = Math.max(...within(down.stabilizationWindowSeconds));
    return Math.min(most, Math.max(least, pods));
  }

  /** The policy that permits the largest change decides. */
  #withinPolicies(at: number, pods: number, wanted: number): number {
    const { up, down } = this.#rule;
    const longest = Math.max(...[...up.policies, ...down.policies].map((policy) => policy.periodSeconds));
    this.#changes = this.#changes.filter((one) => at - one.at < longest);
    if (wanted > pods)
      return Math.min(wanted, Math.max(pods, ...up.policies.map((policy) => this.#most(at, pods, policy))));
    if (wanted < pods)
      return Math.max(
        wanted,
        Math.min(pods, ...down.policies.map((policy) => this.#least(at, pods, policy))),
      );
    return pods;
  }

  #most(at: number, pods: number, { type, value, periodSeconds }: ScalingPolicy): number {
    const before = this.#podsBefore(at, pods, periodSeconds);
    return type === 'Pods' ? before + value : Math.ceil(before * (1 + value / 100));
  }

  #least(at: number, pods: number, { type, value, periodSeconds }: ScalingPolicy): number {
    const before = this.#podsBefore(at, pods, periodSeconds);
    return type === 'Pods' ? before - value : Math.floor(before * (1 - value / 100));
  }

  /** The number of pods at the start of a period that ends now. */
  #podsBefore(at: number, pods: number, seconds: number): number {
    return this.#changes
      .filter((one) => at - one.at < seconds)
      .reduce((before, change) => before - change.pods, pods);
  }
}

/** How often a number of pods changed its direction. */
export function turnsOf(series: readonly number[]): number {
  const directions = series
    .map((pods, index) => Math.sign(pods - (series[index - 1] ?? pods)))
    .filter((direction) => direction !== 0);
  return directions.filter((direction, index) => index > 0 && direction !== directions[index - 1]).length;
}
