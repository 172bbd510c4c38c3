import { ComponentError } from '@millrace/flow';
import type { ComponentContext, ToolHandle } from '@millrace/flow';
import { str } from '@millrace/python-text';
import type { PythonObject } from '@millrace/python-text';
import { describedTables, describeTables } from './describe-tables';
import { queryDatabase } from './query-database';
import { rowsText } from './rows-text';

/** Returns the tools with which a model explores and queries a database. */
export function sqlTools(url: string, context: ComponentContext): readonly ToolHandle[] {
  return [
    tool('sql_db_list_tables', 'Lists the tables of the database.', null, async () =>
      [...(await describeTables(url, context)).keys()].join(', '),
    ),
    tool(
      'sql_db_schema',
      'Describes tables of the database.',
      ['table_names', 'The names of the tables, separated by commas.'],
      asErrorText(context, async (names) => describedTables(await describeTables(url, context), names)),
    ),
    tool(
      'sql_db_query',
      'Runs an SQL query and returns its rows. If it fails, rewrite the query and try again.',
      ['query', 'A complete and correct SQL query.'],
      asErrorText(context, async (query) => rowsText(await queryDatabase(url, query, context), true)),
    ),
  ];
}

/** Names an error of the database as one: the model gets it in place of a result. */
function asErrorText(
  context: ComponentContext,
  call: (text: string) => Promise<string>,
): (text: string) => Promise<string> {
  return async (text) => {
    try {
      return await call(text);
    } catch (error) {
      if (context.signal.aborted) throw error;
      throw new ComponentError(`Error: ${error instanceof Error ? error.message : String(error)}`, error);
    }
  };
}

/** Returns a tool with one text argument, or without arguments. */
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
