import { ComponentError } from '@millrace/flow';
import type { InterruptibleWork } from '../run-in-slices';

const comma = 0x2c;
const newline = 0x0a;

/** A longer cell is the rest of a text after a quote that nothing closes. */
const maximumCellLength = 1_048_576;

/** Number of lines that are parsed before the work can be interrupted. */
const linesPerStep = 256;

/**
 * Returns the cells of each line that is not empty. Quotes can contain commas, line breaks and doubled quotes. Linear
 * in the length of the text. Throws a ComponentError for a cell that is too long.
 */
export function* splitCsv(text: string): InterruptibleWork<readonly (readonly string[])[]> {
  const rows: string[][] = [];
  let row: string[] = [];
  let offset = 0;
  while (offset < text.length) {
    const { cell: quoted, end: start } = quotedPart(text, offset);
    const end = plainEnd(text, start);
    if (end - offset > maximumCellLength) {
      throw new ComponentError(
        `A cell in row ${rows.length + 1} of the table has more than ${maximumCellLength} characters. Is its quote closed?`,
      );
    }
    const isLast = end === text.length;
    const endsLine = isLast || text.charCodeAt(end) === newline;
    // A carriage return belongs to the line break, unless it ends the text.
    const hasReturn = endsLine && !isLast && end > start && text[end - 1] === '\r';
    row.push(quoted + text.slice(start, hasReturn ? end - 1 : end));
    offset = end + 1;
    if (endsLine) {
      if (row.length > 1 || row[0] !== '') rows.push(row);
      row = [];
      if (rows.length % linesPerStep === 0) yield;
    }
  }
  // The text ended with a comma, so an empty cell follows.
  if (row.length > 0) rows.push([...row, '']);
  return rows;
}

/** Returns the quoted text at the start of a cell and its end offset: the end of the text for an unclosed quote. */
function quotedPart(text: string, offset: number): { readonly cell: string; readonly end: number } {
  if (text[offset] !== '"') return { cell: '', end: offset };
  let cell = '';
  let start = offset + 1;
  for (;;) {
    const quote = text.indexOf('"', start);
    if (quote === -1) return { cell: cell + text.slice(start), end: text.length };
    if (text[quote + 1] !== '"') return { cell: cell + text.slice(start, quote), end: quote + 1 };
    cell += text.slice(start, quote + 1);
    start = quote + 2;
  }
}

function plainEnd(text: string, start: number): number {
  for (let offset = start; offset < text.length; offset += 1) {
    const code = text.charCodeAt(offset);
    if (code === comma || code === newline) return offset;
  }
  return text.length;
}
