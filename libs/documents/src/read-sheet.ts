import { PythonFloat } from '@millrace/python-text';
import { inDocumentThread } from './document-thread';

/** A cell: null if empty; a date is text in Python's format. */
export type SheetCell = null | boolean | number | string | PythonFloat;

type GivenCell = null | boolean | string | { readonly integer: number } | { readonly float: number };

/** Returns the rows of a workbook's first sheet (xlsx), up to the last row that is not empty. */
export async function readSheet(
  content: Uint8Array,
  signal: AbortSignal,
): Promise<readonly (readonly SheetCell[])[]> {
  const task = { program: 'office', task: 'read-sheet', content } as const;
  const rows = await inDocumentThread<readonly (readonly GivenCell[])[]>(task, signal);
  return rows.map((row) => row.map(cellOf));
}

function cellOf(given: GivenCell): SheetCell {
  if (typeof given !== 'object' || given === null) return given;
  if ('integer' in given) return given.integer;
  return Number.isInteger(given.float) ? new PythonFloat(given.float) : given.float;
}
