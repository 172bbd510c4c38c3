import { boolean, ComponentError, defineComponent, text } from '@millrace/flow';
import { DataFrame, Message } from '@millrace/python-text';
import { queryDatabase } from '../integrations/sql/query-database';
import { rowsText, tableRows } from '../integrations/sql/rows-text';
import { StatementError } from '../integrations/sql/sql-statement';

export default defineComponent({
  type: 'SQLComponent',
  aliases: ['SQLExecutor'],
  displayName: 'SQL Database',
  description: 'Runs an SQL query on PostgreSQL, MySQL, MariaDB or SQLite.',
  inputs: {
    database_url: text({ displayName: 'Database URL', required: true }),
    query: text({ displayName: 'SQL Query', multiline: true, required: true, tool: true }),
    include_columns: boolean({
      displayName: 'Include Columns',
      description: 'Include columns in the result.',
      default: true,
      advanced: true,
      tool: true,
    }),
    add_error: boolean({
      displayName: 'Add Error',
      description: 'If True, the error will be added to the result',
      advanced: true,
      tool: true,
    }),
  },
  outputs: {
    run_sql_query: { types: ['DataFrame', 'Table'], displayName: 'Result Table', method: 'run_sql_query' },
    sql_query_results: { types: ['DataFrame', 'Table'], displayName: 'Query Results', tool: false },
    text: { types: ['Message'], displayName: 'Text', tool: false },
  },
  deterministic: false,
  run: async ({ database_url, query, include_columns, add_error }, context) => {
    const wantsTable = context.wants('run_sql_query') || context.wants('sql_query_results');
    try {
      const result = await queryDatabase(database_url, query, context);
      const table = new DataFrame(tableRows(result), result.columns);
      const resultText = rowsText(result, include_columns);
      context.status(wantsTable ? table : resultText);
      return {
        run_sql_query: table,
        sql_query_results: table,
        text: new Message({ text: resultText }),
      };
    } catch (error) {
      if (!(error instanceof StatementError)) throw error;
      const message = `An error occurred while running the SQL Query: ${error.message}`;
      context.log(message);
      if (wantsTable) throw new ComponentError(message, error);
      // The text output, which earlier versions use, contains the error only if `add_error` is set.
      const errorText = `${error.message}\n\nError: ${error.message}\n\nQuery: ${query}`;
      return { text: new Message({ text: add_error ? errorText : query }) };
    }
  },
});
