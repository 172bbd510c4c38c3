import type { AuditAction, AuditEvent } from '../audit/audit-entry';
import type { FileRecord } from './file-record';

/** Returns what the audit log records of a file: its name and size, never its content. */
export function fileEvent(
  action: AuditAction,
  { id, name, extension, flowId, sizeBytes }: FileRecord,
): AuditEvent {
  const detail = { bytes: sizeBytes, ...(flowId === null ? {} : { flow_id: flowId }) };
  return { action, objectId: id, objectName: name + extension, detail };
}
