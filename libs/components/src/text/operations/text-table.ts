import { DataFrame, strip } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import { numberColumn } from '../../parsing/csv/number-column';
import { typedRows } from '../../parsing/csv/typed-rows';
import type { InterruptibleWork } from '../../parsing/run-in-slices';

/** Where a text's cells end, and whether its first line names the columns. */
export interface TextTableOptions {
  readonly separator: string;
  readonly hasHeader: boolean;
}

/** Number of lines that are split before the work can be interrupted. */
const linesPerStep = 256;

/**
 * Converts a text to a table: a row for each line that is not blank. Columns that contain only numbers become numeric.
 */
export function* textTable(
  text: string,
  { separator, hasHeader }: TextTableOptions,
): InterruptibleWork<DataFrame> {
  const lines: (readonly string[])[] = [];
  for (const [index, line] of strip(text).split('\n').entries()) {
    if (index % linesPerStep === 0) yield;
    if (strip(line) === '') continue;
    lines.push((separator === '' ? [line] : line.split(separator)).map((cell) => strip(cell)));
  }
  const [first = []] = lines;
  const width = lines.reduce((widest, cells) => Math.max(widest, cells.length), 0);
  const names = hasHeader ? first : Array.from({ length: width }, (_, index) => `col_${index}`);
  const rows = hasHeader ? lines.slice(1) : lines;
  const records = yield* typedRows(names, rows, { absent: '', typed: column });
  return new DataFrame(records, [...new Set(names)]);
}

function* column(cells: readonly string[]): InterruptibleWork<readonly PythonValue[]> {
  return (yield* numberColumn(cells)) ?? cells;
}
