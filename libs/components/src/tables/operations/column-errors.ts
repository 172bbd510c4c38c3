import { ComponentError } from '@millrace/flow';
import { repr } from '@millrace/python-text';
import type { DataFrame } from '@millrace/python-text';

/** Throws pandas' error when `table[column]` does not exist. */
export function checkColumn(table: DataFrame, column: string): void {
  if (!table.columns.includes(column)) throw new ComponentError(repr(column));
}

/** Throws pandas' error when one of the selected columns does not exist. */
export function checkSelection(table: DataFrame, columns: readonly string[]): void {
  const known = new Set(table.columns);
  const missing = columns.filter((column) => !known.has(column));
  if (missing.length === 0) return;
  const index = `Index(${repr([...columns])}, dtype='object')`;
  throw new ComponentError(
    missing.length === columns.length
      ? repr(`None of [${index}] are in the [columns]`)
      : repr(`${repr(missing)} not in index`),
  );
}
