import { str } from '@millrace/python-text';
import type { PythonObject } from '@millrace/python-text';

/** Returns the headers in the rows of a table, each with `key` and `value`; other rows are left out. */
export function headerRows(rows: readonly PythonObject[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    rows.flatMap(({ key, value }) =>
      typeof key === 'string' && key.trim() !== '' && value !== undefined && value !== null
        ? [[key.trim(), str(value)]]
        : [],
    ),
  );
}
