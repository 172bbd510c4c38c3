import { createHash } from 'node:crypto';
import type { AuditEntry } from './audit-entry';

/**
 * Computes an entry's hash as the database does: SHA-256 over the hash before it and the entry's values, each as
 * `<bytes>:<text>,` or `-,` for null.
 */
export function entryHash(entry: Omit<AuditEntry, 'hash'>): string {
  const values = [
    entry.previousHash,
    String(entry.position),
    entry.at,
    entry.action,
    entry.kind,
    entry.userId,
    entry.keyId,
    entry.requestId,
    entry.clientAddress,
    entry.forwardedFor,
    entry.objectId,
    entry.objectName,
    entry.detail,
  ];
  return createHash('sha256').update(values.map(field).join('')).digest('hex');
}

function field(value: string | null): string {
  return value === null ? '-,' : `${Buffer.byteLength(value)}:${value},`;
}
