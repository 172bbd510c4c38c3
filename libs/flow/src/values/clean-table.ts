import { DataFrame } from './data-frame';
import type { PythonObject, PythonValue } from './python-value';

/** A table without rows that hold nothing, blank cells emptied, and several newlines in a row made one. */
export function cleanTable(table: DataFrame): DataFrame {
  const rows = table.rows.filter((row) => table.columns.some((column) => !isMissing(row, column)));
  return mapTexts(new DataFrame(rows, table.columns), (text) =>
    /^\s*$/.test(text) ? '' : text.replace(/\n+/g, '\n'),
  );
}

/** A table with each of its texts replaced; other cells stay as they are. */
export function mapTexts(table: DataFrame, change: (text: string) => string): DataFrame {
  const rows = table.rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([column, value]) => [
        column,
        typeof value === 'string' ? change(value) : value,
      ]),
    ),
  );
  return new DataFrame(rows, table.columns);
}

function isMissing(row: PythonObject, column: string): boolean {
  const value: PythonValue | undefined = Object.hasOwn(row, column) ? row[column] : undefined;
  return value === undefined || value === null || Number.isNaN(value);
}
