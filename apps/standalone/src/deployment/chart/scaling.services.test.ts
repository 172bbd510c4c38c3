import { join } from 'node:path';
import { Autoscaler, STEP_SECONDS } from './autoscaler';
import type { ScalingRule } from './autoscaler';
import { renderValues, root } from './render';

interface ScaledObjectSpec {
  readonly minReplicaCount: number;
  readonly maxReplicaCount: number;
  readonly cooldownPeriod: number;
  readonly advanced: {
    readonly horizontalPodAutoscalerConfig: {
      readonly behavior: { readonly scaleDown: { readonly stabilizationWindowSeconds: number } };
    };
  };
  readonly triggers: readonly { readonly metadata: { readonly threshold: string } }[];
}

/** The rule of a pool in the set of values `large`. */
function ruleOf(pool: string): ScalingRule {
  const manifests = renderValues([join(root, 'deploy', 'helm', 'values', 'large.yaml')]);
  const found = manifests.find(
    ({ kind, metadata }) => kind === 'ScaledObject' && metadata.name === `millrace-executor-${pool}`,
  );
  const spec = found?.spec as unknown as ScaledObjectSpec;
  return {
    minReplicas: spec.minReplicaCount,
    maxReplicas: spec.maxReplicaCount,
    targetRuns: Number(spec.triggers[0]?.metadata.threshold),
    cooldownSeconds: spec.cooldownPeriod,
    downWindowSeconds:
      spec.advanced.horizontalPodAutoscalerConfig.behavior.scaleDown.stabilizationWindowSeconds,
  };
}

const RUN_SECONDS = 30;
const START_SECONDS = 30;

/** Runs a pool whose runs take 30 s and whose pods take 30 s to start; returns the number of pods at each step. */
function simulate(
  rule: ScalingRule,
  backlog: number,
  arrivals: (at: number) => number,
  seconds: number,
): number[] {
  const autoscaler = new Autoscaler(rule);
  const series: number[] = [];
  let [pods, waiting] = [rule.minReplicas, backlog];
  for (let at = 0; at < seconds; at += STEP_SECONDS) {
    waiting += arrivals(at);
    // Pods that were there 30 s ago have started.
    const started = Math.min(pods, series.at(-Math.ceil(START_SECONDS / STEP_SECONDS)) ?? 0);
    const slots = started * rule.targetRuns;
    const busy = Math.min(slots, waiting);
    pods = autoscaler.next(at, pods, waiting);
    series.push(pods);
    waiting -= Math.min(waiting, Math.ceil((busy * STEP_SECONDS) / RUN_SECONDS));
  }
  return series;
}

/** How often the number of pods changed its direction. */
function turns(series: readonly number[]): number {
  const directions = series
    .map((pods, index) => Math.sign(pods - (series[index - 1] ?? pods)))
    .filter((direction) => direction !== 0);
  return directions.filter((direction, index) => index > 0 && direction !== directions[index - 1]).length;
}

test('a backlog of 100,000 starts all pods, and a pool that is done has none again, with one turn', () => {
  const series = simulate(ruleOf('batch'), 100_000, () => 0, 7_200);
  expect(Math.max(...series)).toBe(40);
  expect(series.slice(0, 5)).toEqual([1, 5, 10, 20, 40]);
  expect(series.at(-1)).toBe(0);
  expect(turns(series)).toBe(1);
});

test('a steady load that changes by a third from minute to minute does not make the number of pods swing', () => {
  const load = (at: number) => 300 + (Math.floor(at / 60) % 2 === 0 ? 100 : -100);
  const series = simulate(ruleOf('default'), 0, load, 7_200);
  // After the first ten minutes.
  expect(turns(series.slice(40))).toBeLessThanOrEqual(1);
  expect(series.at(-1)).toBeGreaterThanOrEqual(2);
});
