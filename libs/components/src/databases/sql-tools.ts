import { str } from '@millrace/flow';
import type { ComponentContext, PythonObject, ToolHandle } from '@millrace/flow';
import { describedTables, describeTables } from './describe-tables';
import { queryDatabase } from './query-database';
import { rowsText } from './rows-text';

/** What a model works on a database with. */
export function sqlTools(url: string, context: ComponentContext): readonly ToolHandle[] {
  return [
    tool('sql_db_list_tables', 'Lists the tables of the database.', null, async () =>
      [...(await describeTables(url, context)).keys()].join(', '),
    ),
    tool(
      'sql_db_schema',
      'Describes tables of the database.',
      ['table_names', 'The names of the tables, with commas between them.'],
      async (names) => describedTables(await describeTables(url, context), names),
    ),
    tool(
      'sql_db_query',
      'Runs an SQL query and gives its rows. When it fails, write it anew and try again.',
      ['query', 'One whole and correct SQL query.'],
      async (query) => rowsText(await queryDatabase(url, query, context), true),
    ),
  ];
}

/** A tool of one text, or of none. */
function tool(
  name: string,
  description: string,
  argument: readonly [string, string] | null,
  call: (text: string) => Promise<string>,
): ToolHandle {
  const [key, meaning] = argument ?? [];
  return {
    kind: 'tool',
    name,
    description,
    parameters: {
      type: 'object',
      properties: key === undefined ? {} : { [key]: { type: 'string', description: meaning } },
      required: key === undefined ? [] : [key],
    },
    call: (given: PythonObject) => call(key === undefined ? '' : str(given[key] ?? '')),
  };
}
