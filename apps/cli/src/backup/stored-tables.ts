import { migratedTables } from '@millrace/database';
import type { Queryable } from '@millrace/database';

export interface StoredColumn {
  readonly name: string;
  readonly type: string;
}

export interface StoredTable {
  readonly name: string;
  readonly columns: readonly StoredColumn[];
  /** Blocks of the table itself. */
  readonly blocks: number;
  /** Whether most of its data is in large values, outside of its blocks. */
  readonly hasLargeValues: boolean;
}

interface TableRow extends Omit<StoredTable, 'columns'> {
  readonly refersTo: readonly string[];
}

/** Returns the tables whose rows are kept, each after those that it refers to; unlogged tables are counted anew. */
export async function storedTables(connection: Queryable): Promise<StoredTable[]> {
  const { rows } = await connection.query<TableRow>({
    text: `SELECT c.relname AS name,
        (pg_relation_size(c.oid) / current_setting('block_size')::bigint)::bigint AS blocks,
        pg_table_size(c.oid) > 2 * pg_relation_size(c.oid) + 65536 AS "hasLargeValues",
        ARRAY(SELECT DISTINCT other.relname::text FROM pg_constraint k JOIN pg_class other ON other.oid = k.confrelid
          WHERE k.conrelid = c.oid AND k.contype = 'f' AND k.confrelid <> c.oid) AS "refersTo"
      FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
        AND c.relpersistence = 'p' AND c.relname = ANY($1::text[]) ORDER BY c.relname`,
    values: [migratedTables()],
  });
  const tables: StoredTable[] = [];
  for (const { name, blocks, hasLargeValues } of inOrder(rows))
    tables.push({ name, blocks, hasLargeValues, columns: await columnsOf(connection, name) });
  return tables;
}

/** Generated columns are computed again. */
async function columnsOf(connection: Queryable, table: string): Promise<StoredColumn[]> {
  const { rows } = await connection.query<StoredColumn>({
    text: `SELECT attname AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute
      WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum`,
    values: [table],
  });
  return rows;
}

function inOrder(tables: readonly TableRow[]): TableRow[] {
  const ordered = new Map<string, TableRow>();
  const add = (table: TableRow) => {
    if (ordered.has(table.name)) return;
    for (const name of table.refersTo) {
      const other = tables.find((one) => one.name === name);
      if (other !== undefined) add(other);
    }
    ordered.set(table.name, table);
  };
  for (const table of tables) add(table);
  return [...ordered.values()];
}

/** Quotes the name of a table or column. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
