import { PythonFloat } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { compilePattern, patternError } from '../../parsing/compile-pattern';
import { compareTexts } from '../../parsing/code-point-order';
import { cellKey, cellOf, cellText, comparableValue, isMissing } from './cells';

type Test = (cell: PythonValue) => boolean;

/** Each returns the test for one cell, given the value to compare with and all cells of the column. */
const tests: Readonly<Record<string, (value: string, cells: readonly PythonValue[]) => Test>> = {
  equals: equalTo,
  'not equals': (value, cells) => {
    const equals = equalTo(value, cells);
    return (cell) => !equals(cell);
  },
  contains: containing,
  'not contains': (value) => {
    const contains = containing(value);
    return (cell) => !contains(cell);
  },
  'starts with': (value) => (cell) => cellText(cell).startsWith(value),
  'ends with': (value) => (cell) => cellText(cell).endsWith(value),
  'greater than': (value, cells) => ordering(value, cells, (order) => order > 0),
  'less than': (value, cells) => ordering(value, cells, (order) => order < 0),
};

export const filterOperators: readonly string[] = Object.keys(tests);

/** A filter: rows whose cell in a column passes a test against a text are kept. */
export interface RowFilter {
  readonly column: string;
  readonly operator: string;
  readonly value: string;
}

/**
 * Returns the rows that pass; all rows when the operator is unknown. Throws a ComponentError for an invalid pattern.
 */
export function filterRows(
  rows: readonly PythonObject[],
  { column, operator, value }: RowFilter,
): readonly PythonObject[] {
  const makeTest = Object.hasOwn(tests, operator) ? tests[operator] : undefined;
  if (makeTest === undefined) return rows;
  const cells = rows.map((row) => cellOf(row, column));
  try {
    const passes = makeTest(value, cells);
    return rows.filter((_, index) => passes(cells[index] ?? null));
  } catch (error) {
    throw patternError(error);
  }
}

/** Compares numbers when the column has numbers and the value is one, else texts. */
function equalTo(value: string, cells: readonly PythonValue[]): Test {
  const key = cellKey(comparableValue(value, cells));
  return (cell) => !isMissing(cell) && cellKey(cell) === key;
}

/** The value is a regular expression, as in pandas' `str.contains`. */
function containing(value: string): Test {
  const pattern = compilePattern(value);
  return (cell) => pattern.isFoundIn(cellText(cell));
}

/** Compares numbers when the value and all cells are numbers, else texts. */
function ordering(value: string, cells: readonly PythonValue[], holds: (order: number) => boolean): Test {
  const limit = value.trim() === '' ? Number.NaN : Number(value);
  const numbers = cells.every((cell) => isMissing(cell) || numberOf(cell) !== null);
  if (Number.isNaN(limit) || !numbers) return (cell) => holds(compareTexts(cellText(cell), value));
  return (cell) => holds((numberOf(cell) ?? Number.NaN) - limit);
}

function numberOf(cell: PythonValue): number | null {
  if (cell instanceof PythonFloat) return cell.value;
  return typeof cell === 'number' || typeof cell === 'bigint' || typeof cell === 'boolean'
    ? Number(cell)
    : null;
}
