import { join } from 'node:path';
import { Autoscaler, STEP_SECONDS, turnsOf } from './autoscaler';
import { renderValues, root } from './render';
import { scalingRuleOf } from './scaling-rule';
import type { ScalingRule } from './scaling-rule';

/** The rule of a pool in the set of values `large`. */
const ruleOf = (pool: string) =>
  scalingRuleOf(renderValues([join(root, 'deploy', 'helm', 'values', 'large.yaml')]), pool);

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

test('a backlog of 100,000 starts all pods, and a pool that is done has none again, with one turn', () => {
  const rule = ruleOf('batch');
  expect(rule.pollingSeconds).toBe(STEP_SECONDS);
  const series = simulate(rule, 100_000, () => 0, 7_200);
  expect(Math.max(...series)).toBe(40);
  expect(series.slice(0, 5)).toEqual([1, 5, 10, 20, 40]);
  expect(series.at(-1)).toBe(0);
  expect(turnsOf(series)).toBe(1);
});

test('a steady load that changes by a third from minute to minute does not make the number of pods swing', () => {
  const load = (at: number) => 300 + (Math.floor(at / 60) % 2 === 0 ? 100 : -100);
  const series = simulate(ruleOf('default'), 0, load, 7_200);
  // After the first ten minutes.
  expect(turnsOf(series.slice(40))).toBeLessThanOrEqual(1);
  expect(series.at(-1)).toBeGreaterThanOrEqual(2);
});
