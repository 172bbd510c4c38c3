/** What can be recorded, by kind of object. An action's text is `<kind>.<verb>` and never changes. */
export const auditActions = [
  'user.created',
  'user.updated',
  'user.deleted',
  'key.created',
  'key.updated',
  'key.rotated',
  'key.deleted',
  'project.created',
  'project.updated',
  'project.deleted',
  'project.shared',
  'project.unshared',
  'limits.changed',
  'flow.created',
  'flow.updated',
  'flow.code_accepted',
  'flow.version_activated',
  'flow.paused',
  'flow.resumed',
  'flow.deleted',
  'variable.created',
  'variable.updated',
  'variable.deleted',
  'mcp_server.created',
  'mcp_server.saved',
  'mcp_server.deleted',
  'knowledge_base.created',
  'knowledge_base.deleted',
  'author_code.approved',
  'author_code.refused',
  'author_code.deleted',
  'file.uploaded',
  'file.renamed',
  'file.deleted',
  'callback.replayed',
  'callback.deleted',
  'trigger.created',
  'trigger.updated',
  'trigger.enabled',
  'trigger.disabled',
  'trigger.pinned',
  'trigger.secret_rotated',
  'trigger.deleted',
  'run.answered',
  'run.cancelled',
  'run.replayed',
  'run.deleted',
  'trace.deleted',
  'session.created',
  'session.ended',
  'session.erased',
  'sign_in.refused',
  'secrets.reencrypted',
] as const;

export type AuditAction = (typeof auditActions)[number];

/** Who acted: an API key, a Millrace program by itself, or a client without a valid key. */
export interface AuditActor {
  readonly kind: 'key' | 'system' | 'unknown';
  readonly userId: string | null;
  /** The id of the API key; never the key. */
  readonly keyId: string | null;
  readonly requestId: string | null;
  /** The address of the connection, which can be that of a proxy. */
  readonly clientAddress: string | null;
  /** The address that the nearest proxy, or the client itself, put into `X-Forwarded-For`. Not verified. */
  readonly forwardedFor: string | null;
}

/** A Millrace program that acts without a request, such as at its start. */
export const systemActor: AuditActor = {
  kind: 'system',
  userId: null,
  keyId: null,
  requestId: null,
  clientAddress: null,
  forwardedFor: null,
};

/** Facts about a change: ids, names, numbers. Never a value that can be a secret. */
export type AuditDetail = Readonly<Record<string, AuditFact>>;
export type AuditFact = string | number | boolean | null | readonly string[];

/** What happened to which object. */
export interface AuditEvent {
  readonly action: AuditAction;
  readonly objectId?: string | null;
  readonly objectName?: string | null;
  readonly detail?: AuditDetail;
}

/** A stored entry; its texts are those that were hashed. */
export interface AuditEntry extends AuditActor {
  readonly position: number;
  /** The time of the database in UTC with microseconds: `2026-01-31T10:00:00.123456Z`. */
  readonly at: string;
  readonly action: string;
  readonly objectId: string | null;
  readonly objectName: string | null;
  /** JSON text. */
  readonly detail: string;
  readonly previousHash: string;
  readonly hash: string;
}

/** A place in the chain: an entry's position and its hash. */
export interface ChainLink {
  readonly position: number;
  readonly hash: string;
}

/** The columns of an AuditEntry. */
export const AUDIT_COLUMNS = `position, to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at, action,
  actor_kind AS kind, user_id AS "userId", key_id AS "keyId", request_id AS "requestId",
  client_address AS "clientAddress", forwarded_for AS "forwardedFor", object_id AS "objectId",
  object_name AS "objectName", detail, previous_hash AS "previousHash", hash`;
