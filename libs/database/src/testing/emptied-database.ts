import type { Client } from 'pg';

/** What a database has after the migrations. */
export interface DatabaseState {
  /** Changes with each change of tables, columns, functions, triggers, constraints, settings. */
  readonly schema: string;
  /** Rows that migrations inserted, as JSON, by table. */
  readonly rows: ReadonlyMap<string, string>;
}

const OWN_SCHEMAS = `SELECT oid FROM pg_namespace WHERE nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema'`;

const SCHEMA = `
  SELECT md5(string_agg(part::text, ',' ORDER BY part::text)) AS schema FROM (
    SELECT (oid, relname, relnamespace, relkind, relpersistence, reloptions) AS part
      FROM pg_class WHERE relnamespace IN (${OWN_SCHEMAS})
    UNION ALL SELECT (attrelid, attnum, attname, atttypid, attnotnull, atthasdef)
      FROM pg_attribute WHERE attnum > 0 AND attrelid >= 16384
    UNION ALL SELECT (oid, proname, md5(prosrc)) FROM pg_proc WHERE oid >= 16384
    UNION ALL SELECT (oid, tgrelid, tgname, tgenabled) FROM pg_trigger
    UNION ALL SELECT (oid, conname, convalidated) FROM pg_constraint WHERE oid >= 16384
    UNION ALL SELECT (oid, nspname) FROM pg_namespace
    UNION ALL SELECT (setdatabase, setrole, setconfig) FROM pg_db_role_setting
    UNION ALL SELECT (oid, rolname) FROM pg_roles
  ) AS parts`;

const TABLES = `
  SELECT oid::regclass::text AS "table" FROM pg_class
  WHERE relkind = 'r' AND relnamespace IN (${OWN_SCHEMAS}) ORDER BY oid`;

/** Reads the state that emptiedDatabase restores. */
export async function databaseState(client: Client): Promise<DatabaseState> {
  const rows = new Map<string, string>();
  for (const table of await tablesWithRows(client)) {
    const result = await client.query<{ rows: string }>(
      `SELECT json_agg(t)::text AS rows FROM ${table} AS t`,
    );
    rows.set(table, result.rows[0]?.rows ?? '[]');
  }
  return { schema: await schemaOf(client), rows };
}

/**
 * Restores the state: deletes all rows, restarts sequences and inserts the rows of the migrations. Resolves to false,
 * without a change, when the schema has changed.
 */
export async function emptiedDatabase(client: Client, state: DatabaseState): Promise<boolean> {
  if ((await schemaOf(client)) !== state.schema) return false;
  const tables = await tablesWithRows(client);
  await client.query('BEGIN');
  // Triggers refuse changes of the audit log.
  await client.query('SET LOCAL session_replication_role = replica');
  if (tables.length > 0) await client.query(`TRUNCATE ${tables.join(', ')} CASCADE`);
  for (const [table, rows] of state.rows)
    await client.query(
      `INSERT INTO ${table} OVERRIDING SYSTEM VALUE SELECT * FROM json_populate_recordset(NULL::${table}, $1)`,
      [rows],
    );
  await client.query(`SELECT setval(seqrelid, seqstart, false) FROM pg_sequence`);
  await client.query('COMMIT');
  // Removes the files of the former rows and the write-ahead log from memory.
  await client.query('CHECKPOINT');
  return true;
}

async function schemaOf(client: Client): Promise<string> {
  const { rows } = await client.query<{ schema: string }>(SCHEMA);
  return rows[0]?.schema ?? '';
}

async function tablesWithRows(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ table: string }>(TABLES);
  const isFilled = rows.map(({ table }) => `(SELECT EXISTS (SELECT FROM ${table})) AS "${table}"`);
  const { rows: filled } = await client.query<Record<string, boolean>>(`SELECT ${isFilled.join(', ')}`);
  return Object.entries(filled[0] ?? {}).flatMap(([table, hasRows]) => (hasRows ? [table] : []));
}
