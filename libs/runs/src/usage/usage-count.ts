import type { RunEnd } from '@millrace/messages';
import type { RunUsage } from '../run-record/run-usage';

/** Whose runs a count is of; `model` is empty in a count of runs, else the count is of the calls of that model. */
export interface UsageKey {
  readonly userId: string;
  readonly flowId: string;
  /** Null for runs without a key. */
  readonly keyId: string | null;
  readonly pool: string;
  readonly provider: string;
  readonly model: string;
}

export interface UsageNumbers {
  readonly runs: number;
  /** Runs that ended as failed, timed out or dead. */
  readonly failures: number;
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Calls without a known price. */
  readonly unpricedCalls: number;
  /** In US dollars, of the calls whose price is known. */
  readonly cost: number;
  /** From the acceptance to the first start. */
  readonly waitingMilliseconds: number;
  /** Of the last attempt. */
  readonly runningMilliseconds: number;
}

export type UsageCount = UsageKey & UsageNumbers;

/** A run that ended. */
export interface EndedUse extends Pick<UsageKey, 'userId' | 'flowId' | 'keyId' | 'pool'> {
  readonly status: RunEnd;
  readonly usage: RunUsage | null;
  readonly waitingMilliseconds: number;
  readonly runningMilliseconds: number;
}

const NOTHING = { calls: 0, inputTokens: 0, outputTokens: 0, unpricedCalls: 0, cost: 0 };
const UNSUCCESSFUL: ReadonlySet<RunEnd> = new Set<RunEnd>(['failed', 'timed_out', 'dead']);

/** Returns what a run adds to the counts: one of the run, and one for each of its models. */
export function usageCounts({ status, usage, ...run }: EndedUse): readonly UsageCount[] {
  const { userId, flowId, keyId, pool } = run;
  const common = {
    userId,
    flowId,
    keyId,
    pool,
    runs: 1,
    failures: UNSUCCESSFUL.has(status) ? 1 : 0,
    waitingMilliseconds: Math.max(0, Math.round(run.waitingMilliseconds)),
    runningMilliseconds: Math.max(0, Math.round(run.runningMilliseconds)),
  };
  const ofRun = { ...common, provider: '', model: '', ...NOTHING };
  if (usage === null) return [ofRun];
  return [
    ofRun,
    ...usage.models.map(({ provider, model, calls, inputTokens, outputTokens, unpricedCalls, cost }) => ({
      ...common,
      provider,
      model: model || 'unknown',
      calls,
      inputTokens,
      outputTokens,
      unpricedCalls,
      cost: cost ?? 0,
    })),
  ];
}

/** Adds the numbers of two counts with the same key. */
export function addCounts(one: UsageCount, other: UsageCount): UsageCount {
  return {
    ...one,
    runs: one.runs + other.runs,
    failures: one.failures + other.failures,
    calls: one.calls + other.calls,
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    unpricedCalls: one.unpricedCalls + other.unpricedCalls,
    cost: one.cost + other.cost,
    waitingMilliseconds: one.waitingMilliseconds + other.waitingMilliseconds,
    runningMilliseconds: one.runningMilliseconds + other.runningMilliseconds,
  };
}
