import type { Queryable } from '@millrace/database';
import { AUDIT_COLUMNS } from './audit-entry';
import type { AuditEntry, ChainLink } from './audit-entry';

const PAGE_ENTRIES = 500;

/** Selects entries; what is undefined selects all. */
export interface AuditExportFilter {
  /** The user who acted. */
  readonly userId?: string | undefined;
  /** The API key that was used, by its id. */
  readonly keyId?: string | undefined;
  readonly actions?: readonly string[] | undefined;
  readonly objectId?: string | undefined;
  /** Entries from this time on. */
  readonly from?: Date | undefined;
  /** Entries before this time. */
  readonly to?: Date | undefined;
}

export interface AuditFilter extends AuditExportFilter {
  /** Only entries before this position: the last one of the page before. */
  readonly before?: number | undefined;
  readonly limit: number;
}

/** An entry with what people call its actor: null for none, and for a deleted one. A key can have an empty name. */
export interface NamedAuditEntry extends AuditEntry {
  readonly username: string | null;
  readonly keyName: string | null;
}

/** Both ends of the chain. Positions of deleted entries reach up to `pruned`; with none it is position 0. */
export interface ChainState {
  readonly head: ChainLink;
  readonly pruned: ChainLink;
}

/** See AuditLog.list. */
export async function listEntries(
  connection: Queryable,
  { before, limit, ...filter }: AuditFilter,
): Promise<NamedAuditEntry[]> {
  const { condition, values } = conditionOf(filter);
  const { rows } = await connection.query<NamedAuditEntry>({
    text: `SELECT ${AUDIT_COLUMNS},
        (SELECT username FROM users WHERE users.id = audit_entries.user_id) AS username,
        (SELECT coalesce(name, '') FROM api_keys WHERE api_keys.id = audit_entries.key_id) AS "keyName"
      FROM audit_entries
      WHERE position < $${values.length + 1} AND ${condition} ORDER BY position DESC LIMIT $${values.length + 2}`,
    values: [...values, before ?? Number.MAX_SAFE_INTEGER, limit],
  });
  return rows;
}

/** See AuditLog.export. One page is in memory at a time, and no transaction stays open while it is sent. */
export async function* exportEntries(
  connection: Queryable,
  filter: AuditExportFilter,
): AsyncGenerator<AuditEntry[]> {
  const { head } = await chainState(connection);
  yield* readEntries(connection, { filter, upTo: head.position });
}

/** Yields entries up to a position in pages, oldest first. */
export async function* readEntries(
  connection: Queryable,
  { filter, upTo }: { readonly filter: AuditExportFilter; readonly upTo: number },
): AsyncGenerator<AuditEntry[]> {
  const { condition, values } = conditionOf(filter);
  const count = values.length;
  for (let after = Number.MIN_SAFE_INTEGER; ;) {
    const { rows } = await connection.query<AuditEntry>({
      text: `SELECT ${AUDIT_COLUMNS} FROM audit_entries
        WHERE position > $${count + 1} AND position <= $${count + 2} AND ${condition}
        ORDER BY position LIMIT ${PAGE_ENTRIES}`,
      values: [...values, after, upTo],
    });
    const last = rows.at(-1);
    if (last !== undefined) yield rows;
    if (last === undefined || rows.length < PAGE_ENTRIES) return;
    after = last.position;
  }
}

/** See AuditLog.chain. */
export async function chainState(connection: Queryable): Promise<ChainState> {
  const { rows } = await connection.query<{
    headPosition: number;
    headHash: string;
    prunedPosition: number;
    prunedHash: string;
  }>({
    text: `SELECT head_position AS "headPosition", head_hash AS "headHash", pruned_position AS "prunedPosition",
      pruned_hash AS "prunedHash" FROM audit_chain`,
  });
  const [row] = rows;
  if (row === undefined) throw new Error('the audit log has lost the row of its chain');
  return {
    head: { position: row.headPosition, hash: row.headHash },
    pruned: { position: row.prunedPosition, hash: row.prunedHash },
  };
}

/** Only conditions that are given, so that each plan can use the index that fits. */
function conditionOf(filter: AuditExportFilter): { condition: string; values: unknown[] } {
  const conditions: (readonly [string, unknown])[] = [
    ['user_id =', filter.userId],
    ['key_id =', filter.keyId],
    ['action = ANY', filter.actions],
    ['object_id =', filter.objectId],
    ['at >=', filter.from],
    ['at <', filter.to],
  ];
  const given = conditions.filter(([, value]) => value !== undefined);
  return {
    condition: ['true', ...given.map(([condition], index) => `${condition} ($${index + 1})`)].join(' AND '),
    values: given.map(([, value]) => value),
  };
}
