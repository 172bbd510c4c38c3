import { ComponentError, repr } from '@millrace/flow';
import type { DataFrame } from '@millrace/flow';

/** Throws what pandas says when `table[column]` has no such column. */
export function checkColumn(table: DataFrame, column: string): void {
  if (!table.columns.includes(column)) throw new ComponentError(repr(column));
}

/** Throws what pandas says when one of the columns to select does not exist. */
export function checkSelection(table: DataFrame, columns: readonly string[]): void {
  const missing = columns.filter((column) => !table.columns.includes(column));
  if (missing.length === 0) return;
  const index = `Index(${repr([...columns])}, dtype='object')`;
  throw new ComponentError(
    missing.length === columns.length
      ? repr(`None of [${index}] are in the [columns]`)
      : repr(`${repr(missing)} not in index`),
  );
}
