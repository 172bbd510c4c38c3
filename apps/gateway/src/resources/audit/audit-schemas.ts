import {
  anyObject,
  closedObject,
  integer,
  listOf,
  orNull,
  text,
  uuid,
  namedObject,
} from '@millrace/messages';

const members = {
  position: integer,
  at: text,
  action: text,
  actor: { enum: ['key', 'system', 'unknown'] },
  user_id: orNull(uuid),
  key_id: orNull(uuid),
  request_id: orNull(text),
  client_address: orNull(text),
  forwarded_for: orNull(text),
  object_id: orNull(text),
  object_name: orNull(text),
  detail: anyObject,
  previous_hash: text,
  hash: text,
};

/** An entry of the audit log; each line of an export is one. */
export const auditEntrySchema = namedObject('AuditEntry', members);

/** An entry with the names of its user and key, which are null when it has none and when they are deleted. */
const namedEntrySchema = namedObject('NamedAuditEntry', {
  ...members,
  username: orNull(text),
  key_name: orNull(text),
});

const link = closedObject({ position: integer, hash: text });

/** A page of the audit log, with both ends of its chain. */
export const auditPageSchema = namedObject('AuditPage', {
  entries: listOf(namedEntrySchema),
  head: link,
  pruned: link,
});
