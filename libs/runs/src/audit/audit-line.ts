import type { AuditEntry } from './audit-entry';
import { canonicalJson } from './canonical-json';

/** An entry as the API and exports show it. */
export function auditEntryView(entry: AuditEntry): Record<string, unknown> {
  return {
    position: entry.position,
    at: entry.at,
    action: entry.action,
    actor: entry.kind,
    user_id: entry.userId,
    key_id: entry.keyId,
    request_id: entry.requestId,
    client_address: entry.clientAddress,
    forwarded_for: entry.forwardedFor,
    object_id: entry.objectId,
    object_name: entry.objectName,
    detail: JSON.parse(entry.detail) as unknown,
    previous_hash: entry.previousHash,
    hash: entry.hash,
  };
}

/** Reads a line of an export; null when it is not an entry. The order of members and blanks do not matter. */
export function parseAuditLine(line: string): AuditEntry | null {
  const value = parsed(line);
  if (typeof value !== 'object' || value === null) return null;
  const members = value as Readonly<Record<string, unknown>>;
  const { position } = members;
  const text = (name: string) => (typeof members[name] === 'string' ? members[name] : null);
  if (typeof position !== 'number' || text('hash') === null || typeof members['detail'] !== 'object')
    return null;
  return {
    position,
    at: text('at') ?? '',
    action: text('action') ?? '',
    kind: (text('actor') ?? '') as AuditEntry['kind'],
    userId: text('user_id'),
    keyId: text('key_id'),
    requestId: text('request_id'),
    clientAddress: text('client_address'),
    forwardedFor: text('forwarded_for'),
    objectId: text('object_id'),
    objectName: text('object_name'),
    detail: canonicalJson(members['detail']),
    previousHash: text('previous_hash') ?? '',
    hash: text('hash') ?? '',
  };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
