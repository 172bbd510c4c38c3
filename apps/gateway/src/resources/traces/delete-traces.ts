import type { AuditLog, TraceStore } from '@millrace/runs';
import { actorOf } from '../../authentication/actor-of';
import type { KeyedCall } from '../../http/routing/route';

const DELETED_AT_ONCE = 500;

export interface AuditedTraces {
  readonly traces: TraceStore;
  readonly audit: AuditLog;
}

/** Deletes the trace of a run with its entry in the audit log; false when the user has none. */
export async function deleteTrace(
  { traces, audit }: AuditedTraces,
  call: KeyedCall,
  runId: string,
): Promise<boolean> {
  return audit.change(actorOf(call), async (change) => {
    const isDeleted = await traces.within(change).delete(call.principal.userId, runId);
    if (isDeleted) change.note({ action: 'trace.deleted', objectId: runId });
    return isDeleted;
  });
}

/**
 * Deletes the traces of a flow, with one transaction and one entry of the audit log for each batch, so that no
 * transaction takes long.
 */
export async function deleteTracesOfFlow(
  { traces, audit }: AuditedTraces,
  call: KeyedCall,
  flowId: string,
): Promise<void> {
  for (let count = DELETED_AT_ONCE; count === DELETED_AT_ONCE;)
    count = await audit.change(actorOf(call), async (change) => {
      const { userId } = call.principal;
      const deleted = await traces.within(change).deleteOfFlow(userId, flowId, DELETED_AT_ONCE);
      if (deleted > 0) change.note({ action: 'trace.deleted', detail: { traces: deleted, flow_id: flowId } });
      return deleted;
    });
}
