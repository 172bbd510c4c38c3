import { PythonFloat } from '@millrace/flow';
import type { PythonValue } from '@millrace/flow';
import type { Sliceable } from '../text/in-slices';

const integerPattern = /^\s*[+-]?\d+\s*$/;
const numberPattern = /^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$/;
/** How many cells are looked at before the work may be left off. */
const cellsPerStep = 4096;

/**
 * The numbers that texts stand for, all of them integers or all of them floats, as pandas makes a column of them; null
 * when one of the texts is no number. A missing one is NaN, and makes the others floats.
 */
export function* numberColumn(
  cells: readonly string[],
  isMissing: (cell: string) => boolean = () => false,
): Sliceable<readonly PythonValue[] | null> {
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
