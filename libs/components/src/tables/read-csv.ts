import type { PythonObject, PythonValue } from '@millrace/flow';
import { distinctNames } from './distinct-names';
import { numberColumn } from './number-column';
import { splitCsv } from './split-csv';

/**
 * Reads a CSV table with a header as pandas' `read_csv` does: a column of integers, of numbers or of truth values gets
 * values of that kind, a missing one is NaN. Null when a row has more cells than the header.
 */
export function readCsv(text: string): readonly PythonObject[] | null {
  const [header, ...rows] = splitCsv(text).filter((row) => row.length > 1 || row[0] !== '');
  if (header === undefined || rows.some((row) => row.length > header.length)) return null;
  const names = distinctNames(header);
  const columns = names.map((_, index) => column(rows.map((row) => row[index] ?? '')));
  return rows.map((_, row) =>
    Object.fromEntries(names.map((name, index) => [name, columns[index]?.[row] ?? null])),
  );
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

function column(cells: readonly string[]): readonly PythonValue[] {
  const isMissing = (cell: string): boolean => missingMarks.has(cell);
  const numbers = numberColumn(cells, isMissing);
  if (numbers !== null) return numbers;
  if (cells.every((cell) => truthPattern.test(cell)))
    return cells.map((cell) => cell.toLowerCase() === 'true');
  return cells.map((cell) => (isMissing(cell) ? Number.NaN : cell));
}
