import type { Database, Queryable } from '../database';
import type { MigrationFile } from './migration-file';

/** A row of schema_migrations. */
export interface AppliedMigration {
  readonly version: number;
  readonly name: string;
  readonly checksum: string;
  readonly appliedAt: Date;
}

/** Returns the migrations recorded in the database. Empty for a database without any. */
export async function appliedMigrations(connection: Queryable): Promise<AppliedMigration[]> {
  const { rows: tables } = await connection.query<{ known: boolean }>({
    text: `SELECT to_regclass('schema_migrations') IS NOT NULL AS known`,
  });
  if (!tables[0]?.known) return [];
  const { rows } = await connection.query<AppliedMigration>({
    text: `SELECT version, name, checksum, applied_at AS "appliedAt" FROM schema_migrations ORDER BY version`,
  });
  return rows;
}

/**
 * Applies one migration and records it in the same transaction. Returns false when another process applied it in the
 * meantime: processes that start concurrently wait for each other here.
 */
export function applyMigration(
  database: Database,
  { version, name, text, checksum }: MigrationFile,
  timeoutMilliseconds: number,
): Promise<boolean> {
  return database.transaction(
    async (connection) => {
      await lockMigrations(connection);
      await connection.query({ text: createTable });
      const { rows } = await connection.query({
        text: 'SELECT 1 FROM schema_migrations WHERE version = $1',
        values: [version],
      });
      if (rows.length > 0) return false;
      await connection.query({ text });
      await connection.query({
        text: 'INSERT INTO schema_migrations (version, name, checksum) VALUES ($1, $2, $3)',
        values: [version, name, checksum],
      });
      return true;
    },
    { timeoutMilliseconds },
  );
}

const createTable = `
  CREATE TABLE IF NOT EXISTS schema_migrations (
    version integer PRIMARY KEY,
    name text NOT NULL,
    checksum text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
  )`;

/** Takes a lock until the transaction ends, on any connection; one lock per schema. */
async function lockMigrations(connection: Queryable): Promise<void> {
  await connection.query({
    text: `SELECT pg_advisory_xact_lock(hashtextextended('millrace migrations in ' || current_schema(), 0))`,
  });
}
