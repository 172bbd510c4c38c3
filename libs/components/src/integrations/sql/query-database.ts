import type { ComponentContext } from '@millrace/flow';
import { parseDatabaseAddress } from './database-address';
import type { DatabaseAddress, SqlDialect } from './database-address';
import { queryMysql } from './query-mysql';
import { queryPostgres } from './query-postgres';
import { querySqlite } from './query-sqlite';
import type { SqlRows, SqlStatement } from './sql-statement';

type Query = (
  address: DatabaseAddress,
  statement: SqlStatement,
  context: ComponentContext,
) => Promise<SqlRows>;

const queries: Readonly<Record<SqlDialect, Query>> = {
  postgresql: queryPostgres,
  mysql: queryMysql,
  sqlite: querySqlite,
};

/**
 * Runs one statement on the database of a URL. Writes only if the operator allows it. Rejects with a StatementError, or
 * with a ComponentError when the database is unreachable or the result is too large.
 */
export function queryDatabase(url: string, text: string, context: ComponentContext): Promise<SqlRows> {
  const address = parseDatabaseAddress(url);
  const mayWrite = context.resources.isAllowed('sql-writes');
  return queries[address.dialect](address, { text, mayWrite }, context);
}
