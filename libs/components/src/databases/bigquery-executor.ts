import { boolean, ComponentError, defineComponent, file, text } from '@millrace/flow';
import { decodeText, documentBounds } from '@millrace/documents';
import { DataFrame } from '@millrace/python-text';
import { findFile } from '../files/readers/named-file';
import { queryBigQuery } from '../integrations/bigquery/query-bigquery';
import { readServiceAccount } from '../integrations/bigquery/service-account';

export default defineComponent({
  type: 'BigQueryExecutor',
  aliases: ['BigQueryExecutorComponent'],
  displayName: 'BigQuery',
  description: 'Runs an SQL query on Google BigQuery.',
  inputs: {
    service_account_json_file: file({ displayName: 'Upload Service Account JSON', required: true }),
    query: text({ displayName: 'SQL Query', required: true, tool: true }),
    clean_query: boolean({ displayName: 'Clean Query', advanced: true }),
  },
  outputs: {
    query_results: {
      types: ['DataFrame', 'Table'],
      displayName: 'Query Results',
      method: 'execute_sql',
    },
  },
  deterministic: false,
  run: async ({ service_account_json_file: files, query, clean_query }, context) => {
    const [path] = files;
    const stored = path === undefined ? null : await findFile(context, path, true);
    if (stored === null) throw new ComponentError(`Service account file not found: ${path ?? 'none'}`);
    const content = await context.resources.files.read(stored, documentBounds.documentBytes);
    const account = readServiceAccount(decodeText(content));
    const sql = clean_query || /```|["']/.test(query) ? cleanQuery(query) : query.trim();
    if (sql === '') {
      throw new ComponentError('Error executing BigQuery SQL query: No valid SQL query found in input text.');
    }
    const { rows, columns } = await queryBigQuery(account, sql, context);
    return { query_results: new DataFrame(rows, columns) };
  },
});

const statementStart = /^(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|WITH|MERGE)/i;

/** Returns the SQL in a text of a language model: a code block, else the lines of statements, without quotes around it. */
function cleanQuery(answer: string): string {
  const [, block = '', ...rest] = answer.split('```');
  const given = rest.length === 0 ? statementLines(answer) : block.replace(/^sql/i, '').trim();
  const sql = given.replace(/^`+|(?<!`)`+$/g, '').trim();
  const isQuoted = /^(?:".*"|'.*')$/s.test(sql) && sql.length > 1;
  return (isQuoted ? sql.slice(1, -1) : sql).trim().replaceAll(/`(?![a-zA-Z0-9_])|(?<![a-zA-Z0-9_])`/g, '');
}

function statementLines(answer: string): string {
  const lines: string[] = [];
  let isStatement = false;
  for (const line of answer.split('\n').map((given) => given.trim())) {
    isStatement ||= statementStart.test(line);
    if (isStatement) lines.push(line);
    if (line.endsWith(';')) isStatement = false;
  }
  return lines.length === 0 ? answer : lines.join('\n');
}
