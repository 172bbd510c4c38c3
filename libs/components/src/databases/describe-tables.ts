import { ComponentError, str } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import { parseDatabaseAddress } from './database-address';
import type { SqlDialect } from './database-address';
import { queryDatabase } from './query-database';

const columnsOf = (schema: string): string =>
  `SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = ${schema} ORDER BY table_name, ordinal_position`;

/** Rows of table, column and type. */
const queries: Readonly<Record<SqlDialect, string>> = {
  postgresql: columnsOf('current_schema()'),
  mysql: columnsOf('DATABASE()'),
  sqlite: `SELECT m.name, c.name, c.type FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type IN ('table', 'view') ORDER BY m.name, c.cid`,
};

/** What the dialect of the database is called, as a model knows it. */
export function dialectOf(url: string): SqlDialect {
  return parseDatabaseAddress(url).dialect;
}

/** The database's tables, and of each its columns as in the statement that would make it. */
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

/** The descriptions of tables named in a list with commas. Throws a ComponentError that names the one there is not. */
export function describedTables(tables: ReadonlyMap<string, string>, names: string): string {
  const wanted = names.split(',').map((name) => name.trim()).filter((name) => name !== ''); // prettier-ignore
  return wanted
    .map((name) => {
      const table = tables.get(name);
      if (table === undefined) throw new ComponentError(`table_names {'${name}'} not found in database`);
      return table;
    })
    .join('\n\n');
}
