/** Rows that lack columns are completed, so a short text can represent a very large table. */
const maximumCells = 4_000_000;

/** Throws a RangeError for a table that is too large. Call it before building such a table. */
export function checkCells(columns: number, rows: number): void {
  if (columns * rows <= maximumCells) return;
  throw new RangeError(`A table of ${columns} columns and ${rows} rows has more than ${maximumCells} cells.`);
}
