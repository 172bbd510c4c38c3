import { PythonFloat } from '../values/python-float';
import type { DataFrame, PythonValue } from '../values/python-value';

/**
 * The dtype that pandas assigns to a column: only integers are `int`; integers and floats, integers with a missing or
 * None cell, and only missing cells are `float`; only booleans are `bool`; otherwise each value keeps its own type
 * (`object`).
 */
export type ColumnKind = 'int' | 'float' | 'bool' | 'object';

/** Returns the kind of a column; a table without rows has only `object` columns. */
export function columnKind(table: DataFrame, column: string): ColumnKind {
  let kind: ColumnKind | null = null;
  let hasNone = false;
  let hasGap = false;
  for (const row of table.rows) {
    const value = Object.hasOwn(row, column) ? row[column] : undefined;
    if (value === undefined) hasGap = true;
    else if (value === null) hasNone = true;
    else kind = joined(kind, cellKind(value));
    if (kind === 'object') return 'object';
  }
  if (kind === null) return hasGap ? 'float' : 'object';
  if (!hasNone && !hasGap) return kind;
  return kind === 'bool' ? 'object' : 'float';
}

function cellKind(value: PythonValue): ColumnKind {
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float';
  if (value instanceof PythonFloat) return 'float';
  // 64-bit integers fit; for larger ones pandas keeps Python objects.
  if (typeof value === 'bigint') return value >= -(2n ** 63n) && value < 2n ** 64n ? 'int' : 'object';
  return 'object';
}

function joined(kind: ColumnKind | null, next: ColumnKind): ColumnKind {
  if (kind === null || kind === next) return next;
  return (kind === 'int' || kind === 'float') && (next === 'int' || next === 'float') ? 'float' : 'object';
}
