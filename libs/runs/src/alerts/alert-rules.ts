import { alertMeasures } from '@millrace/flow';
import type { AlertRule } from '@millrace/flow';

/** What the runs of a flow did in the window of a rule. */
export interface AlertNumbers {
  /** Since when they are counted; null when nothing is known of the window. */
  readonly since: Date | null;
  /** Runs that ended. */
  readonly runs: number;
  readonly failures: number;
  /** In US dollars. */
  readonly cost: number;
  readonly waitingMilliseconds: number;
  readonly runningMilliseconds: number;
  /** How long the oldest run waits that has not begun; null when none waits, and where no rule asks. */
  readonly oldestSeconds: number | null;
}

/**
 * Returns what a rule measures; null when too few runs ended. It is at least the threshold while there is an alert. Undefined
 * while nothing is known of the window.
 */
export function measured(
  { measure, minimumRuns = 1 }: AlertRule,
  numbers: AlertNumbers,
): number | null | undefined {
  const { since, runs, failures, cost, waitingMilliseconds, runningMilliseconds, oldestSeconds } = numbers;
  if (measure === 'waiting' && oldestSeconds !== null)
    return Math.max(oldestSeconds, runs > 0 ? waitingMilliseconds / runs / 1_000 : 0);
  if (since === null) return undefined;
  if (measure === 'spend') return cost;
  if (runs < (measure === 'waiting' ? 1 : minimumRuns)) return null;
  if (measure === 'failures') return failures / runs;
  return (measure === 'latency' ? runningMilliseconds : waitingMilliseconds) / runs / 1_000;
}

/** Reads the setting `alerts`, which was checked when it was stored. Leaves out what is no rule, and second rules of one name. */
export function alertRulesOf(setting: unknown): readonly AlertRule[] {
  if (!Array.isArray(setting)) return [];
  const rules = new Map<string, AlertRule>();
  for (const rule of setting.filter(isRule)) if (!rules.has(rule.name)) rules.set(rule.name, rule);
  return [...rules.values()];
}

function isRule(value: unknown): value is AlertRule {
  if (typeof value !== 'object' || value === null) return false;
  const { name, measure, threshold, windowMinutes } = value as Partial<Record<keyof AlertRule, unknown>>;
  return (
    typeof name === 'string' &&
    (alertMeasures as readonly unknown[]).includes(measure) &&
    typeof threshold === 'number' &&
    typeof windowMinutes === 'number' &&
    Number.isInteger(windowMinutes) &&
    windowMinutes > 0 &&
    windowMinutes <= 1_440
  );
}

/** A rule as text, to tell a changed one apart. */
export function ruleText({ name, measure, threshold, windowMinutes, minimumRuns = 1 }: AlertRule): string {
  return JSON.stringify({ name, measure, threshold, windowMinutes, minimumRuns });
}
