import { anyObject, closedObject, integer, listOf, orNull, text, uuid, named } from '@millrace/messages';

/** An entry of the audit log; each line of an export is one. */
export const auditEntrySchema = named(
  'AuditEntry',
  closedObject({
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
  }),
);

const link = closedObject({ position: integer, hash: text });

/** A page of the audit log, with both ends of its chain. */
export const auditPageSchema = named(
  'AuditPage',
  closedObject({
    entries: listOf(auditEntrySchema),
    head: link,
    pruned: link,
  }),
);
