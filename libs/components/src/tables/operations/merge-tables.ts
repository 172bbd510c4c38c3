import { ComponentError } from '@millrace/flow';
import { checkCells, DataFrame, PythonFloat, repr } from '@millrace/python-text';
import type { PythonObject } from '@millrace/python-text';
import { cellKey, cellOf, compareCells, isMissing } from './cells';

const maximumRows = 1_000_000;

/** How to merge two tables. */
export interface MergeOptions {
  readonly column: string;
  /** inner, outer, left or right. */
  readonly how: string;
}

/**
 * Merges the rows of two tables with equal cells in a common column, as pandas' `merge` does. Of other columns that
 * both tables have, the left one is kept and filled in from the right one. Throws a ComponentError when a table lacks
 * the column, or when the result has more than a million rows.
 */
export function mergeTables(left: DataFrame, right: DataFrame, { column, how }: MergeOptions): DataFrame {
  checkKey(left, 'left', column);
  checkKey(right, 'right', column);
  const columns = [...new Set([...left.columns, ...right.columns])];
  const pairs =
    how === 'right' ? pairRows(right, left, column, true).map(swap) : leftPairs(left, right, column, how);
  checkCells(columns.length, pairs.length);
  const widened = widenedColumns(left, right, column, pairs);
  const rows = pairs.map((pair) => asFloats(mergedRow(columns, ...pair), widened));
  return new DataFrame(how === 'outer' ? sorted(rows, column) : rows, columns);
}

type Pair = readonly [PythonObject | null, PythonObject | null];

function leftPairs(left: DataFrame, right: DataFrame, column: string, how: string): readonly Pair[] {
  const pairs = pairRows(left, right, column, how !== 'inner');
  if (how !== 'outer') return pairs;
  const known = new Set(left.rows.map((row) => cellKey(cellOf(row, column))));
  const others = right.rows.filter((row) => !known.has(cellKey(cellOf(row, column))));
  return [...pairs, ...others.map((row): Pair => [null, row])];
}

/**
 * Pairs each row with every row of the other table that has the same key; an unmatched row is kept alone if requested.
 */
function pairRows(
  table: DataFrame,
  other: DataFrame,
  column: string,
  keepsUnmatched: boolean,
): readonly Pair[] {
  const byKey = new Map<string, PythonObject[]>();
  for (const row of other.rows) {
    const key = cellKey(cellOf(row, column));
    const rows = byKey.get(key);
    if (rows === undefined) byKey.set(key, [row]);
    else rows.push(row);
  }
  const pairs: Pair[] = [];
  for (const row of table.rows) {
    const matches = byKey.get(cellKey(cellOf(row, column))) ?? (keepsUnmatched ? [null] : []);
    if (pairs.length + matches.length > maximumRows) {
      throw new ComponentError(`The merged table has more than ${maximumRows} rows.`);
    }
    for (const match of matches) pairs.push([row, match]);
  }
  return pairs;
}

/** Pandas has no integers beside missing cells: a common column becomes floats when a row has no left one. */
function widenedColumns(
  left: DataFrame,
  right: DataFrame,
  column: string,
  pairs: readonly Pair[],
): readonly string[] {
  if (pairs.every(([one]) => one !== null)) return [];
  const others = new Set(right.columns);
  return left.columns.filter((name) => name !== column && others.has(name));
}

function asFloats(row: PythonObject, columns: readonly string[]): PythonObject {
  const floats = columns.flatMap((name) => {
    const cell = row[name];
    return typeof cell === 'number' && Number.isInteger(cell) ? [[name, new PythonFloat(cell)] as const] : [];
  });
  return { ...row, ...Object.fromEntries(floats) };
}

function swap([one, other]: Pair): Pair {
  return [other, one];
}

function mergedRow(
  columns: readonly string[],
  left: PythonObject | null,
  right: PythonObject | null,
): PythonObject {
  return Object.fromEntries(
    columns.map((column) => {
      const cell = cellOf(left ?? {}, column);
      return [column, isMissing(cell) ? cellOf(right ?? {}, column) : cell];
    }),
  );
}

/** An outer merge is sorted by key; rows without a key come last. */
function sorted(rows: readonly PythonObject[], column: string): readonly PythonObject[] {
  return [...rows].sort((one, other) => {
    const [first, second] = [cellOf(one, column), cellOf(other, column)];
    if (isMissing(first) || isMissing(second)) return Number(isMissing(first)) - Number(isMissing(second));
    return compareCells(first, second);
  });
}

function checkKey(table: DataFrame, side: 'left' | 'right', column: string): void {
  if (table.columns.includes(column)) return;
  const available = repr([...table.columns]);
  throw new ComponentError(`Column ${repr(column)} not found in ${side} DataFrame. Available: ${available}`);
}
