import { PythonFloat } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import type { InterruptibleWork } from '../run-in-slices';

const integerPattern = /^\s*[+-]?\d+\s*$/;
const numberPattern = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?\s*$/;
/** Number of cells that are processed before the work can be interrupted. */
const cellsPerStep = 4096;

/**
 * Returns the numbers that texts represent, all of them integers or all of them floats, as in a column of pandas. Null
 * when one of the texts is not a number. A missing one is NaN, and makes the others floats.
 */
export function* numberColumn(
  cells: readonly string[],
  isMissing: (cell: string) => boolean = () => false,
): InterruptibleWork<readonly PythonValue[] | null> {
  let areIntegers = true;
  for (const [index, cell] of cells.entries()) {
    if (index % cellsPerStep === 0) yield;
    if (isMissing(cell)) areIntegers = false;
    else if (!integerPattern.test(cell)) {
      if (!numberPattern.test(cell)) return null;
      areIntegers = false;
    }
  }
  const numbers: PythonValue[] = [];
  for (const [index, cell] of cells.entries()) {
    if (index % cellsPerStep === 0) yield;
    numbers.push(areIntegers ? integerOf(cell) : isMissing(cell) ? Number.NaN : floatOf(cell));
  }
  return numbers;
}

function integerOf(cell: string): PythonValue {
  const number = Number(cell);
  return Number.isSafeInteger(number) ? number : BigInt(cell.trim().replace(/^\+/, ''));
}

function floatOf(cell: string): PythonValue {
  const number = Number(cell);
  return Number.isInteger(number) ? new PythonFloat(number) : number;
}
