import { randomUUID } from 'node:crypto';
import type { AlertRule } from '@millrace/flow';
import type { AlertReport } from '../callbacks/callback-delivery';
import { measured, ruleText } from './alert-rules';
import type { AlertNumbers } from './alert-rules';

/** A flow with its rules. */
export interface RuledFlow {
  readonly flowId: string;
  readonly userId: string;
  readonly rules: readonly AlertRule[];
  readonly pool: string;
}

/** An alert that has not ended; `condition` is its rule as text. */
export interface OpenAlert {
  readonly id: string;
  readonly flowId: string;
  readonly userId: string;
  readonly rule: string;
  readonly condition: string;
  readonly beganAt: Date;
}

/** An alert that began or ended. */
export interface AlertChange {
  readonly userId: string;
  readonly report: AlertReport;
}

/** What was measured, by the keys of windows. */
export type Measurements = ReadonlyMap<string, AlertNumbers>;

export const windowKey = (flowId: string, minutes: number): string => `${flowId} ${minutes}`;

export interface BegunAlert extends AlertChange {
  readonly condition: string;
}

/** Decides which alerts begin and end. */
export function changesOf(
  flows: readonly RuledFlow[],
  open: readonly OpenAlert[],
  measurements: Measurements,
  now: Date,
): { readonly begun: readonly BegunAlert[]; readonly ended: readonly AlertChange[] } {
  const openOf = new Map(open.map((alert) => [`${alert.flowId} ${alert.rule}`, alert]));
  const begun: BegunAlert[] = [];
  const ended: AlertChange[] = [];
  const endOf = (alert: OpenAlert, value: number | null, runs: number | null) =>
    ended.push({ userId: alert.userId, report: endReport(alert, value, runs, now) });
  for (const { flowId, userId, rules } of flows)
    for (const rule of rules) {
      const key = `${flowId} ${rule.name}`;
      const alert = openOf.get(key);
      const condition = ruleText(rule);
      // That of a changed rule is over; the new one is evaluated next time.
      if (alert !== undefined && alert.condition !== condition) continue;
      openOf.delete(key);
      const numbers = measurements.get(windowKey(flowId, rule.windowMinutes));
      const value = numbers && measured(rule, numbers);
      if (numbers === undefined || value === undefined) continue;
      const isBroken = value !== null && value >= rule.threshold;
      if (isBroken && alert === undefined)
        begun.push({ userId, condition, report: beginReport(flowId, rule, value, numbers.runs, now) });
      if (!isBroken && alert !== undefined) endOf(alert, value, numbers.runs);
    }
  // Alerts of rules that were changed or removed.
  for (const alert of openOf.values()) endOf(alert, null, null);
  return { begun, ended };
}

function beginReport(
  flowId: string,
  { name, measure: of, threshold, windowMinutes }: AlertRule,
  value: number,
  runs: number,
  now: Date,
): AlertReport {
  return {
    alert_id: randomUUID(),
    state: 'began',
    flow_id: flowId,
    rule: name,
    measure: of,
    threshold,
    window_minutes: windowMinutes,
    value,
    runs,
    began_at: now.toISOString(),
    ended_at: null,
  };
}

function endReport(
  { id, flowId, rule, condition, beganAt }: OpenAlert,
  value: number | null,
  runs: number | null,
  now: Date,
): AlertReport {
  const { measure: of, threshold, windowMinutes } = JSON.parse(condition) as AlertRule;
  return {
    alert_id: id,
    state: 'ended',
    flow_id: flowId,
    rule,
    measure: of,
    threshold,
    window_minutes: windowMinutes,
    value,
    runs,
    began_at: beganAt.toISOString(),
    ended_at: now.toISOString(),
  };
}
