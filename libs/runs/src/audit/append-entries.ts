import type { Queryable } from '@millrace/database';
import { storableText } from '@millrace/python-text';
import type { AuditActor, AuditEvent, ChainLink } from './audit-entry';
import { canonicalJson } from './canonical-json';

const MAXIMUM_NAME_CHARACTERS = 200;
const MAXIMUM_LISTED_FACTS = 50;
const MAXIMUM_FACT_CHARACTERS = 200;

// A trigger adds position, time and hashes, and locks the end of the chain until the transaction ends.
const APPEND = {
  name: 'audit-append',
  text: `INSERT INTO audit_entries (action, actor_kind, user_id, key_id, request_id, client_address, forwarded_for,
      object_id, object_name, detail)
    SELECT action, kind, user_id, key_id, request_id, client_address, forwarded_for, object_id, object_name, detail
    FROM ROWS FROM (jsonb_to_recordset($1::jsonb) AS (action text, kind text, user_id uuid, key_id uuid,
      request_id text, client_address text, forwarded_for text, object_id text, object_name text, detail text))
      WITH ORDINALITY
    ORDER BY ordinality RETURNING position, hash`,
};

/**
 * Adds entries to the end of the chain, in one statement. Must be the last statement of its transaction, since other
 * writers of entries wait for its end. Long names and facts are cut.
 */
export async function appendEntries(
  connection: Queryable,
  entries: readonly (AuditEvent & { readonly actor: AuditActor })[],
): Promise<ChainLink[]> {
  if (entries.length === 0) return [];
  const { rows } = await connection.query<ChainLink>({
    ...APPEND,
    values: [JSON.stringify(entries.map(toRow))],
  });
  return rows;
}

function toRow({
  action,
  objectId = null,
  objectName = null,
  detail = {},
  actor,
}: AuditEvent & { readonly actor: AuditActor }) {
  return {
    action,
    kind: actor.kind,
    user_id: actor.userId,
    key_id: actor.keyId,
    request_id: storable(actor.requestId),
    client_address: storable(actor.clientAddress),
    forwarded_for: storable(actor.forwardedFor),
    object_id: storable(objectId),
    object_name: storable(objectName),
    detail: canonicalJson(
      Object.fromEntries(Object.entries(detail).map(([name, fact]) => [name, boundedFact(fact)])),
    ),
  };
}

function storable(text: string | null): string | null {
  return text === null ? null : bounded(text, MAXIMUM_NAME_CHARACTERS);
}

function boundedFact(fact: unknown): unknown {
  if (typeof fact === 'string') return bounded(fact, MAXIMUM_FACT_CHARACTERS);
  if (!Array.isArray(fact)) return fact;
  const shown = fact.slice(0, MAXIMUM_LISTED_FACTS).map(boundedFact);
  return fact.length > shown.length ? [...shown, `and ${fact.length - shown.length} more`] : shown;
}

/** Cuts a text, and replaces what PostgreSQL's text cannot contain: zero characters and halves of surrogate pairs. */
function bounded(text: string, maximum: number): string {
  const cut = text.length > maximum ? `${text.slice(0, maximum)}…` : text;
  return storableText(cut);
}
