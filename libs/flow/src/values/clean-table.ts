import { DataFrame, tableRecords } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';

/** Returns a table without empty rows, with blank cells emptied and several newlines in a row reduced to one. */
export function cleanTable(table: DataFrame): DataFrame {
  // A column keeps its kind when rows are dropped.
  const rows = tableRecords(table).filter((row) => Object.values(row).some((value) => !isMissing(value)));
  return mapTexts(new DataFrame(rows, table.columns), (text) =>
    /^\s*$/.test(text) ? '' : text.replace(/\n+/g, '\n'),
  );
}

/** Returns a table with each text replaced; other cells are unchanged. */
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

function isMissing(value: PythonValue): boolean {
  return value === null || Number.isNaN(value);
}
