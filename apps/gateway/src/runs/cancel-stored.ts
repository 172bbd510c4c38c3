import type { AuditActor, AuditLog, RunStore } from '@millrace/runs';

export interface CancelledRun {
  readonly userId: string;
  readonly runId: string;
}

/**
 * Requests the end of a run that has a row, and records who did so. Resolves to false when there is no such run or it has
 * ended.
 */
export function cancelStored(
  { runs, audit }: { readonly runs: RunStore; readonly audit: AuditLog },
  actor: AuditActor,
  { userId, runId }: CancelledRun,
): Promise<boolean> {
  return audit.change(actor, async (change) => {
    const isRequested = await runs.within(change).cancel(userId, runId);
    if (isRequested) change.note({ action: 'run.cancelled', objectId: runId });
    return isRequested;
  });
}
