import { DatabaseSync } from 'node:sqlite';
import type { StatementSync } from 'node:sqlite';
import { openDatabase } from '@millrace/database';
import { createLogger, postgresPlace } from '@millrace/service';
import { reasonOf } from '../client/reason-of';
import { CliError } from '../cli-error';

export type Row = Readonly<Record<string, unknown>>;

/** Reads rows of a Langflow database. Parameters are texts or numbers, written as `$1`, `$2`. */
export interface SourceDatabase {
  readonly title: string;
  rows(sql: string, values?: readonly (string | number)[]): Promise<readonly Row[]>;
  /** Returns the value of a JSON column. */
  json(value: unknown): unknown;
  /** Returns an id, as a parameter for a comparison with a column of ids. */
  id(dashed: string): string;
  close(): Promise<void>;
}

/** Opens a SQLite file, without changing it. Throws CliError. */
export function openSqliteSource(path: string): SourceDatabase {
  let database: DatabaseSync;
  try {
    database = new DatabaseSync(path, { readOnly: true, timeout: 10_000 });
    database.prepare('SELECT count(*) FROM sqlite_master').get();
  } catch (error) {
    throw new CliError('input', `${path} cannot be opened as a SQLite database: ${reasonOf(error)}`, error);
  }
  const statements = new Map<string, StatementSync>();
  return {
    title: path,
    async rows(sql, values = []) {
      const statement = statements.get(sql) ?? database.prepare(sql.replaceAll(/\$(\d)/g, '?$1'));
      statements.set(sql, statement);
      return statement.all(...values);
    },
    json: (value) => (typeof value === 'string' ? JSON.parse(value) : value),
    id: (dashed) => dashed.replaceAll('-', ''),
    close: async () => database.close(),
  };
}

/** Opens a PostgreSQL database; only reads. Throws CliError. */
export async function openPostgresSource(url: string): Promise<SourceDatabase> {
  const title = postgresPlace(url);
  // SQLAlchemy's names of drivers: postgresql+psycopg://
  const plain = url.replace(/^postgres(?:ql)?(?:\+\w+)?:/, 'postgresql:');
  try {
    const logger = createLogger({ name: 'millrace', level: 'silent' });
    const database = await openDatabase({
      url: plain,
      name: 'millrace-migrate',
      logger,
      maximumConnections: 1,
    });
    await database.query({ text: 'SELECT 1' });
    return {
      title,
      rows: async (text, values = []) => (await database.query({ text, values })).rows,
      json: (value) => value,
      id: (dashed) => dashed,
      close: () => database.close(),
    };
  } catch (error) {
    throw new CliError('unavailable', `PostgreSQL at ${title} cannot be read: ${reasonOf(error)}`, error);
  }
}
