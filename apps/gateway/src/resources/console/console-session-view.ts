import type { AuditEvent, ConsoleSessionRecord, Principal, UserRecord } from '@millrace/runs';

/** A principal with its session. */
export interface SignedIn {
  readonly principal: Pick<Principal, 'userId' | 'scopes'>;
  readonly sessionId: string;
  readonly expiresAt: Date;
}

export type EndedSession = Pick<ConsoleSessionRecord, 'tokenHash'>;

/** Returns who is signed in, in the shape of answers. */
export function signedInView(user: UserRecord, { principal, sessionId, expiresAt }: SignedIn) {
  return {
    session_id: sessionId,
    user: { id: user.id, username: user.username, is_superuser: user.isAdmin },
    scopes: principal.scopes,
    expires_at: expiresAt.toISOString(),
  };
}

/** Returns a session in the shape of lists. `currentId` is that of the caller's session. */
export function sessionView(session: ConsoleSessionRecord, currentId: string | undefined) {
  return {
    id: session.id,
    user_id: session.userId,
    key_id: session.keyId,
    created_at: session.createdAt.toISOString(),
    last_used_at: session.lastUsedAt.toISOString(),
    expires_at: session.expiresAt.toISOString(),
    user_agent: session.userAgent,
    client_address: session.clientAddress,
    current: session.id === currentId,
  };
}

export function sessionStarted(session: ConsoleSessionRecord): AuditEvent {
  return { action: 'session.created', objectId: session.id, detail: detailOf(session) };
}

export function sessionEnded(session: ConsoleSessionRecord): AuditEvent {
  return { action: 'session.ended', objectId: session.id, detail: detailOf(session) };
}

function detailOf({ userId, keyId, expiresAt }: ConsoleSessionRecord) {
  return { user_id: userId, key_id: keyId, expires_at: expiresAt.toISOString() };
}
