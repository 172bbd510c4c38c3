import type { Sliceable } from '../text/in-slices';

const comma = 0x2c;
const newline = 0x0a;

/** How many lines are read before the work may be left off. */
const linesPerStep = 256;

/**
 * Cells of each line that is not empty; quotes may hold commas, line ends and doubled quotes. Linear in the text.
 */
export function* splitCsv(text: string): Sliceable<readonly (readonly string[])[]> {
  const rows: string[][] = [];
  let row: string[] = [];
  let offset = 0;
  while (offset < text.length) {
    const { cell: quoted, end: start } = quotedPart(text, offset);
    const end = plainEnd(text, start);
    const isLast = end === text.length;
    const endsLine = isLast || text.charCodeAt(end) === newline;
    // A carriage return belongs to the line end, unless the text ends there.
    const hasReturn = endsLine && !isLast && end > start && text[end - 1] === '\r';
    row.push(quoted + text.slice(start, hasReturn ? end - 1 : end));
    offset = end + 1;
    if (endsLine) {
      if (row.length > 1 || row[0] !== '') rows.push(row);
      row = [];
      if (rows.length % linesPerStep === 0) yield;
    }
  }
  // The text ended with a comma: an empty cell follows it.
  if (row.length > 0) rows.push([...row, '']);
  return rows;
}

/** What stands in quotes at the beginning of a cell, and where that ends: at the end of the text when nothing closes it. */
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
