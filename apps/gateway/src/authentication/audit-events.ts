import type { ApiKeyRecord, AuditEvent, UserRecord } from '@millrace/runs';

export function userCreated({ id, username, isAdmin }: UserRecord): AuditEvent {
  return { action: 'user.created', objectId: id, objectName: username, detail: { admin: isAdmin } };
}

/** The creation of a key, without its prefix and hash. */
export function keyCreated({ id, name, userId, scopes, expiresAt }: ApiKeyRecord): AuditEvent {
  const detail = { user_id: userId, scopes, expires_at: expiresAt?.toISOString() ?? null };
  return { action: 'key.created', objectId: id, objectName: name, detail };
}

export function keyDeleted({ id, name, userId }: ApiKeyRecord): AuditEvent {
  return { action: 'key.deleted', objectId: id, objectName: name, detail: { user_id: userId } };
}
