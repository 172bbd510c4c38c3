import { ComponentError } from '@millrace/flow';
import { decodeText, readSheet } from '@millrace/documents';
import type { SheetCell } from '@millrace/documents';
import { DataFrame, PythonFloat, str } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import { distinctNames } from '../../parsing/csv/distinct-names';
import { maximumTableLength, readCsv } from '../../parsing/csv/read-csv';
import { typedRows } from '../../parsing/csv/typed-rows';
import { runInSlices } from '../../parsing/run-in-slices';
import type { InterruptibleWork } from '../../parsing/run-in-slices';
import type { OpenFile } from './open-files';
import type { Decode } from './read-file-text';
import { extensionOf } from '../formats/text-file-types';

/** Returns the rows of a CSV file or of a workbook's first sheet, named by the first row; null for other files. */
export async function readFileTable(
  { path, content }: Pick<OpenFile, 'path' | 'content'>,
  signal: AbortSignal,
  decode: Decode = decodeText,
): Promise<DataFrame | null> {
  const extension = extensionOf(path);
  if (extension === 'xlsx') return runInSlices(sheetTable(await readSheet(content, signal)), signal);
  if (extension !== 'csv') return null;
  if (content.length > maximumTableLength) {
    throw new ComponentError(`A table of more than ${maximumTableLength} bytes cannot be read.`);
  }
  const rows = await runInSlices(readCsv(decode(content)), signal);
  if (rows === null) throw new ComponentError('A row has more cells than the header.');
  return new DataFrame(rows);
}

function* sheetTable([
  header = [],
  ...rows
]: readonly (readonly SheetCell[])[]): InterruptibleWork<DataFrame> {
  const width = rows.reduce((widest, row) => Math.max(widest, row.length), header.length);
  const names = distinctNames(Array.from({ length: width }, (_, index) => nameOf(header[index] ?? null)));
  return new DataFrame(yield* typedRows(names, rows, { absent: null, typed: column }), names);
}

function nameOf(cell: SheetCell): string {
  return cell === null ? '' : str(cell);
}

/** Returns a column like pandas: a missing cell is NaN and turns the integers of its column into floats. */
function* column(cells: readonly SheetCell[]): InterruptibleWork<readonly PythonValue[]> {
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
