import { ComponentError } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import { str } from '@millrace/python-text';
import { parseDatabaseAddress } from './database-address';
import type { SqlDialect } from './database-address';
import { queryDatabase } from './query-database';

const columnsOf = (schema: string): string =>
  `SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = ${schema} ORDER BY table_name, ordinal_position`;

/** Queries that return rows of table, column and type. */
const queries: Readonly<Record<SqlDialect, string>> = {
  postgresql: columnsOf('current_schema()'),
  mysql: columnsOf('DATABASE()'),
  sqlite: `SELECT m.name, c.name, c.type FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type IN ('table', 'view') ORDER BY m.name, c.cid`,
};

/** Returns the dialect of a database, for the prompt of a model. */
export function dialectOf(url: string): SqlDialect {
  return parseDatabaseAddress(url).dialect;
}

/** Returns the tables of the database by name, each as a CREATE TABLE statement with its columns. */
export async function describeTables(
  url: string,
  context: ComponentContext,
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await queryDatabase(url, queries[dialectOf(url)], context);
  const tables = new Map<string, string[]>();
  for (const [table = '', column = '', type = ''] of rows.map((row) => row.map((cell) => str(cell)))) {
    tables.set(table, [...(tables.get(table) ?? []), `${column} ${type}`]);
  }
  return new Map(
    [...tables].map(([table, columns]) => [table, `CREATE TABLE ${table} (${columns.join(', ')})`]),
  );
}

/** Returns the descriptions of comma-separated tables. Throws a ComponentError that names a missing table. */
export function describedTables(tables: ReadonlyMap<string, string>, names: string): string {
  const wanted = names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  return wanted
    .map((name) => {
      const table = tables.get(name);
      if (table === undefined) throw new ComponentError(`table_names {'${name}'} not found in database`);
      return table;
    })
    .join('\n\n');
}
