import { boundsView } from './bounds-view';
import type { ApiKeyRecord, AuditEvent, UserRecord } from '@millrace/runs';

export function userCreated({ id, username, isAdmin }: UserRecord): AuditEvent {
  return { action: 'user.created', objectId: id, objectName: username, detail: { admin: isAdmin } };
}

/** The change of a user, with the names of the members that were given. */
export function userUpdated({ id, username }: UserRecord, changed: readonly string[]): AuditEvent {
  return { action: 'user.updated', objectId: id, objectName: username, detail: { changed } };
}

export function userDeleted({ id, username }: UserRecord): AuditEvent {
  return { action: 'user.deleted', objectId: id, objectName: username };
}

/** The creation of a key, without its prefix and hash. */
export function keyCreated({ id, name, userId, scopes, expiresAt, bounds }: ApiKeyRecord): AuditEvent {
  const expiry = expiresAt?.toISOString() ?? null;
  const detail = { user_id: userId, scopes, expires_at: expiry, ...boundsView(bounds) };
  return { action: 'key.created', objectId: id, objectName: name, detail };
}

/** The replacement of a key by another one; the old key is valid until it expires. */
export function keyRotated({ id, name, userId, expiresAt }: ApiKeyRecord, newKeyId: string): AuditEvent {
  const detail = { user_id: userId, new_key_id: newKeyId, expires_at: expiresAt?.toISOString() ?? null };
  return { action: 'key.rotated', objectId: id, objectName: name, detail };
}

/** The change of a key, with the names of the members that were given. */
export function keyUpdated(
  { id, name, userId, isActive, bounds }: ApiKeyRecord,
  changed: readonly string[],
): AuditEvent {
  const detail = { user_id: userId, changed, active: isActive, ...boundsView(bounds) };
  return { action: 'key.updated', objectId: id, objectName: name, detail };
}

export function keyDeleted({ id, name, userId }: ApiKeyRecord): AuditEvent {
  return { action: 'key.deleted', objectId: id, objectName: name, detail: { user_id: userId } };
}
