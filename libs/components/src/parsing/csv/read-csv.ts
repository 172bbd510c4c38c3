import { ComponentError } from '@millrace/flow';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import type { InterruptibleWork } from '../run-in-slices';
import { distinctNames } from './distinct-names';
import { numberColumn } from './number-column';
import { splitCsv } from './split-csv';
import { typedRows } from './typed-rows';

/** The rows of a table take many times more memory than their text. */
export const maximumTableLength = 8_388_608;

/**
 * Parses a CSV table with a header as pandas' `read_csv` does: columns of integers, numbers or booleans get values of
 * that type; a missing value is NaN. Null when a row has more cells than the header. Throws a ComponentError for a text
 * or a cell that is too long.
 */
export function* readCsv(text: string): InterruptibleWork<readonly PythonObject[] | null> {
  if (text.length > maximumTableLength)
    throw new ComponentError(`A table of more than ${maximumTableLength} characters cannot be read.`);
  const [header, ...rows] = yield* splitCsv(text);
  if (header === undefined || rows.some((row) => row.length > header.length)) return null;
  return yield* typedRows(distinctNames(header), rows, { absent: '', typed: column });
}

const missingMarks = new Set(
  [
    '',
    '#N/A',
    '#N/A N/A',
    '#NA',
    '-1.#IND',
    '-1.#QNAN',
    '-NaN',
    '-nan',
    '1.#IND',
    '1.#QNAN',
    '<NA>',
    'N/A',
    'NA',
  ].concat(['NULL', 'NaN', 'None', 'n/a', 'nan', 'null']),
);
const truthPattern = /^(true|True|TRUE|false|False|FALSE)$/;

function* column(cells: readonly string[]): InterruptibleWork<readonly PythonValue[]> {
  const isMissing = (cell: string): boolean => missingMarks.has(cell);
  const numbers = yield* numberColumn(cells, isMissing);
  if (numbers !== null) return numbers;
  if (cells.every((cell) => truthPattern.test(cell)))
    return cells.map((cell) => cell.toLowerCase() === 'true');
  return cells.map((cell) => (isMissing(cell) ? Number.NaN : cell));
}
