import { codePointCount } from './code-points';
import { formatValue } from './format-value';
import { numericText } from './numeric-text';
import { PythonFloat } from './python-float';
import { str } from './str';
import { tableRows } from '../values/table-rows';
import type { DataFrame } from '../values/data-frame';
import type { PythonValue } from '../values/python-value';

/**
 * A table in Markdown as pandas' `to_markdown(index=False)` lays it out: columns of what looks like numbers to the
 * right with their points aligned, all others to the left; `nan` for a missing cell, nothing for None. A table without
 * columns is an empty text.
 */
export function markdownTable(table: DataFrame): string {
  if (table.columns.length === 0) return '';
  const rows = tableRows(table);
  const columns = table.columns.map((name) =>
    layOutColumn(
      name,
      rows.map((row) => row[name] ?? null),
    ),
  );
  const lines = [
    ...physicalRows(
      columns.map(({ header }) => header),
      columns,
    ),
    `|${columns.map(({ width, isNumeric }) => rule(width, isNumeric)).join('|')}|`,
  ];
  for (const index of rows.keys()) {
    lines.push(
      ...physicalRows(
        columns.map(({ cells }) => cells[index] ?? []),
        columns,
      ),
    );
  }
  return lines.join('\n');
}

type CellType = 'none' | 'bool' | 'int' | 'float' | 'text';

/** From the least to the most general. */
const cellTypes: readonly CellType[] = ['none', 'bool', 'int', 'float', 'text'];

interface Column {
  readonly isNumeric: boolean;
  readonly width: number;
  /** The lines of the header and of each cell. */
  readonly header: readonly string[];
  readonly cells: readonly (readonly string[])[];
}

function layOutColumn(name: string, values: readonly PythonValue[]): Column {
  const type = values.map(cellType).reduce(moreGeneral, 'bool');
  const isNumeric = type === 'int' || type === 'float';
  const texts = values.map((value) => cellText(value, type));
  const shown = isNumeric ? alignedAtPoint(texts) : texts.map((text) => text.trim());
  const header = name.split(lineBreak);
  const cells = shown.map((text) => text.split(lineBreak));
  // Two places more than the header needs, as tabulate has it.
  const width = Math.max(longest(header) + 2, ...cells.map(longest));
  return { isNumeric, width, header, cells };
}

const lineBreak = /\r\n|\n|\r/;

function cellType(value: PythonValue): CellType {
  if (value === null || value === '') return 'none';
  if (typeof value === 'boolean' || value === 'True' || value === 'False') return 'bool';
  if (typeof value === 'string') return numericText(value) ?? 'text';
  if (typeof value === 'bigint') return 'int';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float';
  return value instanceof PythonFloat ? 'float' : 'text';
}

function moreGeneral(first: CellType, second: CellType): CellType {
  return cellTypes[Math.max(cellTypes.indexOf(first), cellTypes.indexOf(second))] ?? 'text';
}

function cellText(value: PythonValue, type: CellType): string {
  if (value === null) return '';
  if (type !== 'float' || value === '') return str(value);
  return formatValue(new PythonFloat(floatOf(value)), 'g');
}

function floatOf(value: PythonValue): number {
  if (value instanceof PythonFloat) return value.value;
  if (typeof value !== 'string') return Number(value);
  const digits = value.replace(/[,_]/g, '').trim().toLowerCase();
  return digits.endsWith('inf') ? Number(digits.replace('inf', 'Infinity')) : Number(digits);
}

function alignedAtPoint(texts: readonly string[]): readonly string[] {
  const decimals = texts.map(placesAfterPoint);
  const most = Math.max(-1, ...decimals);
  return texts.map((text, index) => text + ' '.repeat(most - (decimals[index] ?? most)));
}

/** -1 for what has no point; an exponent counts when there is no point. */
function placesAfterPoint(text: string): number {
  if (numericText(text) !== 'float') return -1;
  const point = text.lastIndexOf('.');
  const position = point === -1 ? text.toLowerCase().lastIndexOf('e') : point;
  return position === -1 ? -1 : text.length - position - 1;
}

function rule(width: number, isNumeric: boolean): string {
  const dashes = '-'.repeat(width + 1);
  return isNumeric ? `${dashes}:` : `:${dashes}`;
}

/** A row whose cells have several lines takes several lines. */
function physicalRows(row: readonly (readonly string[])[], columns: readonly Column[]): string[] {
  const height = Math.max(...row.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) => {
    const cells = columns.map(({ width, isNumeric }, index) => {
      const text = row[index]?.[line] ?? '';
      const fill = ' '.repeat(Math.max(0, width - codePointCount(text)));
      return isNumeric ? fill + text : text + fill;
    });
    return `| ${cells.join(' | ')} |`;
  });
}

function longest(lines: readonly string[]): number {
  return Math.max(...lines.map(codePointCount));
}
