import { columnKind } from './column-kind';
import { PythonFloat } from '../values/python-float';
import type { ColumnKind } from './column-kind';
import type { DataFrame, PythonObject, PythonValue } from '../values/python-value';

/**
 * Returns a table's rows as pandas' `to_dict("records")`: every row has every column; a missing cell is NaN, and so is
 * None in a numeric column; an integer in a float column is a float. A table without columns has no records.
 */
export function tableRecords(table: DataFrame): readonly PythonObject[] {
  if (table.columns.length === 0) return [];
  return typedRows(table, new Map(table.columns.map((column) => [column, columnKind(table, column)])));
}

/**
 * Returns a table's rows as pandas' `iterrows`: like `tableRecords`, but if all columns are numeric and one contains
 * floats, all values are floats.
 */
export function tableRows(table: DataFrame): readonly PythonObject[] {
  const kinds = new Map(table.columns.map((column) => [column, columnKind(table, column)]));
  const all = [...kinds.values()];
  const allFloats = all.includes('float') && all.every((kind) => kind === 'int' || kind === 'float');
  return typedRows(table, allFloats ? new Map(table.columns.map((column) => [column, 'float'])) : kinds);
}

function typedRows(table: DataFrame, kinds: ReadonlyMap<string, ColumnKind>): readonly PythonObject[] {
  return table.rows.map((row) => {
    const cells = table.columns.map((column): [string, PythonValue] => {
      const value = Object.hasOwn(row, column) ? row[column] : undefined;
      return [column, kinds.get(column) === 'float' ? asFloat(value) : (value ?? missing(value))];
    });
    return Object.fromEntries(cells);
  });
}

function missing(value: PythonValue | undefined): PythonValue {
  return value === undefined ? Number.NaN : null;
}

function asFloat(value: PythonValue | undefined): PythonValue {
  if (value === undefined || value === null) return Number.NaN;
  if (typeof value === 'bigint') return asFloat(Number(value));
  return typeof value === 'number' && Number.isInteger(value) ? new PythonFloat(value) : value;
}
