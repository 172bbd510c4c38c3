import { repr } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import type { SqlRows } from './sql-statement';

/** Returns rows as objects by column name; of columns with the same name the last one is used. */
export function tableRows({ columns, rows }: SqlRows): readonly PythonObject[] {
  return rows.map((row) => Object.fromEntries(columns.map((column, index) => [column, row[index] ?? null])));
}

/** Formats rows as Python prints a list of dicts or tuples; empty without rows. */
export function rowsText(result: SqlRows, includeColumns: boolean): string {
  if (result.rows.length === 0) return '';
  return includeColumns ? repr(tableRows(result)) : `[${result.rows.map(tuple).join(', ')}]`;
}

function tuple(row: readonly PythonValue[]): string {
  return `(${row.map((cell) => repr(cell)).join(', ')}${row.length === 1 ? ',' : ''})`;
}
