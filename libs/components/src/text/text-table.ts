import { DataFrame, strip } from '@millrace/flow';
import type { PythonValue } from '@millrace/flow';
import { numberColumn } from '../tables/number-column';

/** Where a text's cells end, and whether its first line names the columns. */
export interface TextTableOptions {
  readonly separator: string;
  readonly hasHeader: boolean;
}

/** A table of a text: a row of each line that is not blank. Columns of nothing but numbers hold numbers. */
export function textTable(text: string, { separator, hasHeader }: TextTableOptions): DataFrame {
  const lines = strip(text)
    .split('\n')
    .filter((line) => strip(line) !== '')
    .map((line) => (separator === '' ? [line] : line.split(separator)).map((cell) => strip(cell)));
  const width = Math.max(0, ...lines.map((cells) => cells.length));
  const [first = []] = lines;
  const names = hasHeader ? first : Array.from({ length: width }, (_, index) => `col_${index}`);
  const rows = hasHeader ? lines.slice(1) : lines;
  const columns = names.map((_, index) => cellsOf(rows, index));
  return new DataFrame(
    rows.map((_, row) =>
      Object.fromEntries(
        names.map((name, index): [string, PythonValue] => [name, columns[index]?.[row] ?? '']),
      ),
    ),
    [...new Set(names)],
  );
}

function cellsOf(rows: readonly (readonly string[])[], index: number): readonly PythonValue[] {
  const cells = rows.map((cells) => cells[index] ?? '');
  return numberColumn(cells) ?? cells;
}
