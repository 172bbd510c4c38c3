import { ComponentError } from '@millrace/flow';
import type { PythonObject, PythonValue } from '@millrace/flow';
import type { Sliceable } from '../text/in-slices';

/** Rows that are shorter than the header are filled up, so that a short text may stand for a very large table. */
const maximumCells = 4_000_000;
/** How many rows are made before the work may be left off. */
const rowsPerStep = 256;

/** What becomes of the cells of a table whose columns have a kind each. */
export interface ColumnKinds<Cell> {
  /** What a cell that a row lacks holds. */
  readonly absent: Cell;
  /** The values of a column, one for each cell. */
  typed(cells: readonly Cell[]): Sliceable<readonly PythonValue[]>;
}

/** The rows of a table under the names of its columns. Throws a ComponentError for too large a table. */
export function* typedRows<Cell>(
  names: readonly string[],
  rows: readonly (readonly Cell[])[],
  { absent, typed }: ColumnKinds<Cell>,
): Sliceable<readonly PythonObject[]> {
  if (names.length * rows.length > maximumCells) {
    throw new ComponentError(
      `A table of ${names.length} columns and ${rows.length} rows cannot be read: it has more than ${maximumCells} cells.`,
    );
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
