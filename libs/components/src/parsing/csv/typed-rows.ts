import { ComponentError } from '@millrace/flow';
import { checkCells } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import type { InterruptibleWork } from '../run-in-slices';

/** Number of rows that are created before the work can be interrupted. */
const rowsPerStep = 256;

/** How to convert the cells of a table into typed columns. */
export interface ColumnKinds<Cell> {
  /** The value for a missing cell. */
  readonly absent: Cell;
  /** Converts the cells of a column to values, one for each cell. */
  typed(cells: readonly Cell[]): InterruptibleWork<readonly PythonValue[]>;
}

/** Returns the rows of a table as objects keyed by column. Throws a ComponentError when the table is too large. */
export function* typedRows<Cell>(
  names: readonly string[],
  rows: readonly (readonly Cell[])[],
  { absent, typed }: ColumnKinds<Cell>,
): InterruptibleWork<readonly PythonObject[]> {
  try {
    checkCells(names.length, rows.length);
  } catch (error) {
    // As with any file that cannot be read, `silent_errors` passes over it.
    throw new ComponentError((error as RangeError).message, error);
  }
  const columns: (readonly PythonValue[])[] = [];
  for (const index of names.keys()) {
    columns.push(yield* typed(rows.map((row) => row[index] ?? absent)));
    yield;
  }
  const records: PythonObject[] = [];
  for (const row of rows.keys()) {
    records.push(Object.fromEntries(names.map((name, index) => [name, columns[index]?.[row] ?? null])));
    if (row % rowsPerStep === 0) yield;
  }
  return records;
}
