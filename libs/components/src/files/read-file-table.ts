import { ComponentError, DataFrame, PythonFloat, str } from '@millrace/flow';
import type { PythonValue } from '@millrace/flow';
import { decodeText, readSheet } from '@millrace/documents';
import type { SheetCell } from '@millrace/documents';
import { distinctNames } from '../tables/distinct-names';
import { readCsv } from '../tables/read-csv';
import type { OpenFile } from './open-files';
import { extensionOf } from './text-file-types';

/** Reading a table holds up other runs: this much takes less than half a second. */
const mostTableBytes = 8_388_608;

/** The rows of a CSV file, or of the first sheet of a workbook, under the names in its first row; null for other files. */
export async function readFileTable(
  { path, content }: Pick<OpenFile, 'path' | 'content'>,
  signal: AbortSignal,
): Promise<DataFrame | null> {
  const extension = extensionOf(path);
  if (extension === 'xlsx') return sheetTable(await readSheet(content, signal));
  if (extension !== 'csv') return null;
  if (content.length > mostTableBytes) {
    throw new ComponentError(`A table of more than ${mostTableBytes} bytes cannot be read.`);
  }
  const rows = readCsv(decodeText(content));
  if (rows === null) throw new ComponentError('A row has more cells than the header.');
  return new DataFrame(rows);
}

function sheetTable([header = [], ...rows]: readonly (readonly SheetCell[])[]): DataFrame {
  const width = Math.max(header.length, ...rows.map((row) => row.length));
  const names = distinctNames(Array.from({ length: width }, (_, index) => nameOf(header[index] ?? null)));
  const columns = names.map((_, index) => column(rows.map((row) => row[index] ?? null)));
  const records = rows.map((_, row) =>
    Object.fromEntries(names.map((name, index) => [name, columns[index]?.[row] ?? null])),
  );
  return new DataFrame(records, names);
}

function nameOf(cell: SheetCell): string {
  return cell === null ? '' : str(cell);
}

/** A missing cell is NaN, and makes the integers of its column floats. */
function column(cells: readonly SheetCell[]): readonly PythonValue[] {
  const isNumeric = cells.every((cell) => cell === null || isNumber(cell));
  const hasFloats = cells.some((cell) => cell === null || cell instanceof PythonFloat || isFraction(cell));
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
