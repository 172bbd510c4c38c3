/** A ScaledObject of the chart, as far as it decides about the number of pods. */
export interface ScalingRule {
  readonly minReplicas: number;
  readonly maxReplicas: number;
  readonly targetRuns: number;
  readonly cooldownSeconds: number;
  readonly downWindowSeconds: number;
}

const TOLERANCE = 0.1;
/** The interval at which the HorizontalPodAutoscaler decides, and of the policies of the chart for more pods. */
export const STEP_SECONDS = 15;
const PODS_A_STEP = 4;
const DOWN_PERIOD_SECONDS = 60;

interface Sample {
  readonly at: number;
  readonly pods: number;
}

/**
 * The arithmetic of KEDA and of a HorizontalPodAutoscaler with an AverageValue, with the policies of the chart: up to four
 * pods or twice as many in 15 s; down to the highest recommendation of a window, by half of the pods a minute; to zero
 * after a time without runs. Sources: kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale, "Algorithm
 * details"; keda.sh/docs/latest/concepts/scaling-deployments.
 */
export class Autoscaler {
  readonly #rule: ScalingRule;
  #recommended: Sample[] = [];
  #history: Sample[] = [];
  #activeAt = -Infinity;

  constructor(rule: ScalingRule) {
    this.#rule = rule;
  }

  /** Returns the number of pods after a decision at this time, in seconds. */
  next(at: number, pods: number, runs: number): number {
    const { minReplicas, maxReplicas, cooldownSeconds } = this.#rule;
    if (runs > 0) this.#activeAt = at;
    if (pods === 0) return runs > 0 ? Math.max(1, minReplicas) : 0;
    if (minReplicas === 0 && at - this.#activeAt >= cooldownSeconds) return 0;
    const wanted = this.#stabilized(at, pods, runs);
    this.#history = [...this.#history.filter((one) => at - one.at <= DOWN_PERIOD_SECONDS), { at, pods }];
    const most = Math.max(pods + PODS_A_STEP, pods * 2);
    const least = Math.floor(Math.max(...this.#history.map((one) => one.pods)) / 2);
    return Math.min(maxReplicas, Math.max(minReplicas, 1, least, Math.min(most, wanted)));
  }

  #stabilized(at: number, pods: number, runs: number): number {
    const { targetRuns, downWindowSeconds } = this.#rule;
    const ratio = runs / (targetRuns * pods);
    const now = Math.abs(ratio - 1) <= TOLERANCE ? pods : Math.ceil(runs / targetRuns);
    this.#recommended = [
      ...this.#recommended.filter((one) => at - one.at < downWindowSeconds),
      { at, pods: now },
    ];
    return now >= pods ? now : Math.min(pods, Math.max(...this.#recommended.map((one) => one.pods)));
  }
}
