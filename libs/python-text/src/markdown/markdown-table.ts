import { codePointCount } from '../text/code-points';
import { columnKind } from '../tables/column-kind';
import { lineBreak, markdownColumn } from './markdown-column';
import { checkTextLength } from '../format/text-limit';
import { tableRows } from '../tables/table-rows';
import type { MarkdownColumn } from './markdown-column';
import type { DataFrame, PythonValue } from '../values/python-value';

/**
 * Returns a table as Markdown, as pandas' `to_markdown(index=False)` formats it: numeric columns are right-aligned at
 * the decimal point, all others left-aligned; `nan` for a missing cell, empty for None. A cell with several lines takes
 * several lines. A table without columns is an empty text.
 */
export function markdownTable(table: DataFrame): string {
  if (table.columns.length === 0) return '';
  const rows = tableRows(table);
  // tabulate shows a table that contains only booleans as ones and zeros.
  const holdsBooleansOnly = table.columns.every((name) => columnKind(table, name) === 'bool');
  const shown = (value: PythonValue): PythonValue => (holdsBooleansOnly ? Number(value) : value);
  const columns = table.columns.map((name) => {
    const values = rows.map((row) => shown(row[name] ?? null));
    return markdownColumn(name, values);
  });
  const isMultiline =
    rows.some((row) => Object.values(row).some(hasLineBreak)) || table.columns.some(hasLineBreak);
  const heightOf = (textOf: (column: MarkdownColumn) => string): number =>
    isMultiline
      ? columns.reduce((most, column) => Math.max(most, textOf(column).split(lineBreak).length), 1)
      : 1;
  let height = 1 + heightOf(({ name }) => name);
  for (const index of rows.keys()) height += heightOf(({ cells }) => cells[index] ?? '');
  checkTextLength(height * columns.reduce((sum, { width }) => sum + width + 3, 1));
  const lines = rowLines(columns, ({ name }) => name, isMultiline);
  lines.push(`|${columns.map((column) => rule(column)).join('|')}|`);
  for (const index of rows.keys()) {
    for (const line of rowLines(columns, ({ cells }) => cells[index] ?? '', isMultiline)) lines.push(line);
  }
  return lines.join('\n');
}

function hasLineBreak(value: PythonValue): boolean {
  return typeof value === 'string' && lineBreak.test(value);
}

function rule({ width, isNumeric, cells }: MarkdownColumn): string {
  const dashes = '-'.repeat(width + 1);
  if (cells.length === 0) return `${dashes}-`;
  return isNumeric ? `${dashes}:` : `:${dashes}`;
}

/** Returns the lines of one row; in a table with multi-line cells, a row of empty cells has no line. */
function rowLines(
  columns: readonly MarkdownColumn[],
  textOf: (column: MarkdownColumn) => string,
  isMultiline: boolean,
): string[] {
  const cells = columns.map((column) => {
    const text = textOf(column);
    return isMultiline && text === '' ? [] : text.split(lineBreak);
  });
  const height = cells.reduce((most, lines) => Math.max(most, lines.length), 0);
  return Array.from({ length: height }, (_, line) => {
    const padded = columns.map((column, index) => pad(cells[index]?.[line] ?? '', column));
    return `| ${padded.join(' | ')} |`;
  });
}

function pad(text: string, { width, isNumeric }: MarkdownColumn): string {
  const fill = ' '.repeat(Math.max(0, width - codePointCount(text)));
  return isNumeric ? fill + text : text + fill;
}
