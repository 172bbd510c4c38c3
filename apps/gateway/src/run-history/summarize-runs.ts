import type { HistoryGroup } from '@millrace/runs';

/** Counts of runs, and percentiles of their durations. */
export interface RunSummary {
  readonly total: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly timed_out: number;
  readonly dead: number;
  /** The sum of the next four. */
  readonly unfinished: number;
  readonly accepted: number;
  readonly queued: number;
  readonly running: number;
  readonly suspended: number;
  readonly p50_milliseconds: number | null;
  readonly p95_milliseconds: number | null;
}

/** Sums groups of runs. Each sampled duration stands for its share of the runs of its group. */
export function summarizeRuns(groups: readonly HistoryGroup[]): RunSummary {
  const sum = (count: (group: HistoryGroup) => number) =>
    groups.reduce((total, group) => total + count(group), 0);
  const samples = groups
    .flatMap(({ total, durations }) =>
      durations.map((milliseconds) => ({ milliseconds, weight: total / durations.length })),
    )
    .sort((left, right) => left.milliseconds - right.milliseconds);
  const unfinished = ({ accepted, queued, running, suspended }: HistoryGroup) =>
    accepted + queued + running + suspended;
  const unsuccessful = ({ failed, cancelled, timedOut, dead }: HistoryGroup) =>
    failed + cancelled + timedOut + dead;
  return {
    total: sum(({ total }) => total),
    succeeded: sum((group) => group.total - unsuccessful(group) - unfinished(group)),
    failed: sum(({ failed }) => failed),
    cancelled: sum(({ cancelled }) => cancelled),
    timed_out: sum(({ timedOut }) => timedOut),
    dead: sum(({ dead }) => dead),
    unfinished: sum(unfinished),
    accepted: sum(({ accepted }) => accepted),
    queued: sum(({ queued }) => queued),
    running: sum(({ running }) => running),
    suspended: sum(({ suspended }) => suspended),
    p50_milliseconds: percentile(samples, 0.5),
    p95_milliseconds: percentile(samples, 0.95),
  };
}

/** Returns the smallest duration that the given part of all runs does not exceed; null without samples. */
function percentile(
  samples: readonly { readonly milliseconds: number; readonly weight: number }[],
  part: number,
): number | null {
  const wanted = part * samples.reduce((total, { weight }) => total + weight, 0);
  let seen = 0;
  for (const { milliseconds, weight } of samples) {
    seen += weight;
    if (seen >= wanted) return milliseconds;
  }
  return samples.at(-1)?.milliseconds ?? null;
}

/** Divides groups by a member. */
export function groupsBy<Key>(
  groups: readonly HistoryGroup[],
  keyOf: (group: HistoryGroup) => Key,
): ReadonlyMap<Key, readonly HistoryGroup[]> {
  const byKey = new Map<Key, HistoryGroup[]>();
  for (const group of groups) {
    const key = keyOf(group);
    const found = byKey.get(key);
    if (found) found.push(group);
    else byKey.set(key, [group]);
  }
  return byKey;
}
