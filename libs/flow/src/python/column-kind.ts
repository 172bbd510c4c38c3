import { PythonFloat } from './python-float';
import type { DataFrame } from '../values/data-frame';
import type { PythonValue } from '../values/python-value';

/**
 * What pandas makes of a table's column: integers alone are `int`; integers and floats, or integers with a missing or
 * None cell, are `float`; true and false alone `bool`; anything else keeps each value's own type (`object`).
 */
export type ColumnKind = 'int' | 'float' | 'bool' | 'object';

/** The kind of a column of a table; a table without rows has only `object` columns. */
export function columnKind(table: DataFrame, column: string): ColumnKind {
  let kind: ColumnKind | null = null;
  let missing = false;
  for (const row of table.rows) {
    const value = Object.hasOwn(row, column) ? row[column] : null;
    if (value === null || value === undefined) {
      missing = true;
      continue;
    }
    kind = joined(kind, cellKind(value));
    if (kind === 'object') return 'object';
  }
  if (!missing) return kind ?? 'object';
  if (kind === 'int') return 'float';
  return kind === 'float' ? 'float' : 'object';
}

function cellKind(value: PythonValue): ColumnKind {
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float';
  if (value instanceof PythonFloat) return 'float';
  // A 64-bit integer fits; beyond that pandas keeps the objects.
  if (typeof value === 'bigint') return value >= -(2n ** 63n) && value < 2n ** 64n ? 'int' : 'object';
  return 'object';
}

function joined(kind: ColumnKind | null, next: ColumnKind): ColumnKind {
  if (kind === null || kind === next) return next;
  return (kind === 'int' || kind === 'float') && (next === 'int' || next === 'float') ? 'float' : 'object';
}
