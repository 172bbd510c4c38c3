import { ComponentError } from '@millrace/flow';
import { PythonFloat, repr, str, typeName } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { compareTexts } from '../../parsing/code-point-order';

/** Returns true for an empty cell: pandas' NaN and None. */
export function isMissing(cell: PythonValue | undefined): boolean {
  return cell === undefined || cell === null || Number.isNaN(cell);
}

/** Returns a row's cell; NaN when the row has none. */
export function cellOf(row: PythonObject, column: string): PythonValue {
  return Object.hasOwn(row, column) ? (row[column] ?? null) : Number.NaN;
}

/** Returns the same text for cells that are equal in pandas: `1` and `1.0`, but not `"1"`. */
export function cellKey(cell: PythonValue): string {
  if (isMissing(cell)) return 'missing';
  const number = numberIn(cell);
  return number === null ? repr(cell) : `number ${number}`;
}

/** Returns a cell's text, as `astype(str)` does. */
export function cellText(cell: PythonValue): string {
  return Number.isNaN(cell) ? 'nan' : str(cell);
}

/** Compares two cells as Python does. Throws a ComponentError for kinds that have no order. */
export function compareCells(one: PythonValue, other: PythonValue): number {
  const [first, second] = [numberIn(one), numberIn(other)];
  if (first !== null && second !== null) return first < second ? -1 : Number(first > second);
  if (typeof one === 'string' && typeof other === 'string') return compareTexts(one, other);
  const [left, right] = [typeName(one), typeName(other)];
  throw new ComponentError(`'<' not supported between instances of '${left}' and '${right}'`);
}

function numberIn(cell: PythonValue): number | bigint | null {
  if (typeof cell === 'number' || typeof cell === 'bigint') return cell;
  if (typeof cell === 'boolean') return Number(cell);
  return cell instanceof PythonFloat ? cell.value : null;
}
