import { repr } from '@millrace/flow';
import type { PythonObject, PythonValue } from '@millrace/flow';
import type { SqlRows } from './sql-statement';

/** Rows by the names of their columns; of two columns of one name the last counts. */
export function tableRows({ columns, rows }: SqlRows): readonly PythonObject[] {
  return rows.map((row) => Object.fromEntries(columns.map((column, index) => [column, row[index] ?? null])));
}

/** Rows as Python writes a list of dicts, or of tuples; nothing for no rows. */
export function rowsText(result: SqlRows, includeColumns: boolean): string {
  if (result.rows.length === 0) return '';
  return includeColumns ? repr(tableRows(result)) : `[${result.rows.map(tuple).join(', ')}]`;
}

function tuple(row: readonly PythonValue[]): string {
  return `(${row.map((cell) => repr(cell)).join(', ')}${row.length === 1 ? ',' : ''})`;
}
