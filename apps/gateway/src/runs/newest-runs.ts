import type { PendingRun } from './pending-run';

/** Returns the runs whose jobs are in the newest messages, oldest first. `runs` is in the order of publication. */
export function newestRuns<Run extends Pick<PendingRun, 'sharedMessage'>>(
  runs: readonly Run[],
  messages: number,
): readonly Run[] {
  const newest = new Set<object>();
  const oldest = runs.findLastIndex((run) => {
    newest.add(run.sharedMessage ?? run);
    return newest.size > messages;
  });
  return runs.slice(oldest + 1);
}
