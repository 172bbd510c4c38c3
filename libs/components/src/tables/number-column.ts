import { PythonFloat } from '@millrace/flow';
import type { PythonValue } from '@millrace/flow';

const integerPattern = /^\s*[+-]?\d+\s*$/;
const numberPattern = /^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$/;

/**
 * The numbers that texts stand for, all of them integers or all of them floats, as pandas makes a column of them; null
 * when one of the texts is no number. A missing one is NaN, and makes the others floats.
 */
export function numberColumn(
  cells: readonly string[],
  isMissing: (cell: string) => boolean = () => false,
): readonly PythonValue[] | null {
  const present = cells.filter((cell) => !isMissing(cell));
  const isComplete = present.length === cells.length;
  if (present.length > 0 && isComplete && present.every((cell) => integerPattern.test(cell))) {
    return cells.map(integerOf);
  }
  if (!present.every((cell) => numberPattern.test(cell))) return null;
  return cells.map((cell) => (isMissing(cell) ? Number.NaN : floatOf(cell)));
}

function integerOf(cell: string): PythonValue {
  const number = Number(cell);
  return Number.isSafeInteger(number) ? number : BigInt(cell.trim().replace(/^\+/, ''));
}

function floatOf(cell: string): PythonValue {
  const number = Number(cell);
  return Number.isInteger(number) ? new PythonFloat(number) : number;
}
