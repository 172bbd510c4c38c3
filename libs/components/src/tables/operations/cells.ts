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

const integerText = /^\s*[+-]?\d+\s*$/;
const numberText = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?\s*$/;

/** Returns the number that a text represents when all cells of the column are numbers or missing; else the text. */
export function comparableValue(text: string, cells: readonly PythonValue[]): PythonValue {
  const filled = cells.filter((cell) => !isMissing(cell));
  const areNumbers =
    filled.length > 0 && filled.every((cell) => typeof cell !== 'boolean' && numberIn(cell) !== null);
  if (!areNumbers || !numberText.test(text)) return text;
  const number = Number(text);
  if (integerText.test(text))
    return Number.isSafeInteger(number) ? number : BigInt(text.trim().replace(/^\+/, ''));
  return Number.isInteger(number) ? new PythonFloat(number) : number;
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
