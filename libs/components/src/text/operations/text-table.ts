import { ComponentError } from '@millrace/flow';
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

/** A cell of the line below the header of a Markdown table. */
const delimiterCell = /^:?-+:?$/;

/**
 * Converts a text to a table: a row for each line that is not blank, without separators at its ends and without the
 * delimiter line of Markdown. Columns that contain only numbers and empty cells become numeric. Throws a ComponentError
 * for a row of another length than the header.
 */
export function* textTable(
  text: string,
  { separator, hasHeader }: TextTableOptions,
): InterruptibleWork<DataFrame> {
  const lines: (readonly string[])[] = [];
  for (const [index, line] of strip(text).split('\n').entries()) {
    if (index % linesPerStep === 0) yield;
    if (strip(line) === '') continue;
    const cells = cellsOf(line, separator);
    const isDelimiter = hasHeader && lines.length === 1 && cells.every((cell) => delimiterCell.test(cell));
    if (!isDelimiter) lines.push(cells);
  }
  const [first = []] = lines;
  const width = lines.reduce((widest, cells) => Math.max(widest, cells.length), 0);
  const names = hasHeader ? first : Array.from({ length: width }, (_, index) => `col_${index}`);
  const rows = hasHeader ? lines.slice(1) : lines;
  if (hasHeader) checkLengths(names.length, rows);
  const records = yield* typedRows<string | null>(names, rows, { absent: null, typed: column });
  return new DataFrame(records, [...new Set(names)]);
}

function cellsOf(line: string, separator: string): readonly string[] {
  const text = strip(line);
  if (separator === '') return [text];
  return strip(text, 'both', separator)
    .split(separator)
    .map((cell) => strip(cell));
}

function checkLengths(length: number, rows: readonly (readonly string[])[]): void {
  const index = rows.findIndex((row) => row.length !== length);
  if (index === -1) return;
  throw new ComponentError(
    `Header mismatch: ${length} column(s) in header vs ${rows[index]?.length ?? 0} column(s) in data row ${index + 1}. ` +
      'Please ensure the header has the same number of columns as your data.',
  );
}

function* column(cells: readonly (string | null)[]): InterruptibleWork<readonly PythonValue[]> {
  return (
    (yield* numberColumn(
      cells.map((cell) => cell ?? ''),
      (cell) => cell === '',
    )) ?? cells
  );
}
