import { ComponentError, DataFrame, PythonFloat, str } from '@millrace/flow';
import type { PythonValue } from '@millrace/flow';
import { decodeText, readSheet } from '@millrace/documents';
import type { SheetCell } from '@millrace/documents';
import { distinctNames } from '../tables/distinct-names';
import { readCsv } from '../tables/read-csv';
import { typedRows } from '../tables/typed-rows';
import { inSlices } from '../text/in-slices';
import type { Sliceable } from '../text/in-slices';
import type { OpenFile } from './open-files';
import { extensionOf } from './text-file-types';

/** What the rows of a table take in memory is many times their text. */
const mostTableBytes = 8_388_608;

/** The rows of a CSV file, or of the first sheet of a workbook, under the names in its first row; null for other files. */
export async function readFileTable(
  { path, content }: Pick<OpenFile, 'path' | 'content'>,
  signal: AbortSignal,
): Promise<DataFrame | null> {
  const extension = extensionOf(path);
  if (extension === 'xlsx') return inSlices(sheetTable(await readSheet(content, signal)), signal);
  if (extension !== 'csv') return null;
  if (content.length > mostTableBytes) {
    throw new ComponentError(`A table of more than ${mostTableBytes} bytes cannot be read.`);
  }
  const rows = await inSlices(readCsv(decodeText(content)), signal);
  if (rows === null) throw new ComponentError('A row has more cells than the header.');
  return new DataFrame(rows);
}

function* sheetTable([header = [], ...rows]: readonly (readonly SheetCell[])[]): Sliceable<DataFrame> {
  const width = rows.reduce((widest, row) => Math.max(widest, row.length), header.length);
  const names = distinctNames(Array.from({ length: width }, (_, index) => nameOf(header[index] ?? null)));
  return new DataFrame(yield* typedRows(names, rows, { absent: null, typed: column }), names);
}

function nameOf(cell: SheetCell): string {
  return cell === null ? '' : str(cell);
}

/** A missing cell is NaN, and makes the integers of its column floats. */
function* column(cells: readonly SheetCell[]): Sliceable<readonly PythonValue[]> {
  const isNumeric = cells.every((cell) => cell === null || isNumber(cell));
  yield;
  const hasFloats = cells.some((cell) => cell === null || cell instanceof PythonFloat || isFraction(cell));
  yield;
  return cells.map((cell) => {
    if (cell === null) return Number.NaN;
    return isNumeric && hasFloats && Number.isInteger(cell) ? new PythonFloat(cell as number) : cell;
  });
}

function isNumber(cell: SheetCell): boolean {
  return typeof cell === 'number' || cell instanceof PythonFloat;
}

function isFraction(cell: SheetCell): boolean {
  return typeof cell === 'number' && !Number.isInteger(cell);
}
