import { DataFrame } from './data-frame';
import { tableRecords } from './table-rows';
import type { PythonValue } from './python-value';

/** A table without rows that hold nothing, blank cells emptied, and several newlines in a row made one. */
export function cleanTable(table: DataFrame): DataFrame {
  // A column keeps the kind it had before rows were dropped.
  const rows = tableRecords(table).filter((row) => Object.values(row).some((value) => !isMissing(value)));
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

function isMissing(value: PythonValue): boolean {
  return value === null || Number.isNaN(value);
}
