import { codePointCount } from '../text/code-points';
import { columnKind } from './column-kind';
import type { ColumnKind } from './column-kind';
import { PythonFloat } from '../values/python-float';
import { fixedDigits, significantDigits } from '../numbers/exact-decimal';
import { floatRepr, pythonExponent } from '../numbers/float-repr';
import { tableRecords } from './table-rows';
import type { DataFrame, PythonValue } from '../values/python-value';

const lineWidth = 80;
const maximumRows = 60;
const shownAtEachEnd = 5;

/**
 * Returns a table as Langflow has pandas print it: numbered rows, right-aligned columns of whole cells, the middle omitted
 * beyond 60 rows and 80 characters. `repr` prints the values inside lists and dicts.
 */
export function tableText(table: DataFrame, repr: (value: PythonValue) => string): string {
  if (table.columns.length === 0 || table.rows.length === 0) return emptyText(table);
  const count = table.rows.length;
  const isCut = count > maximumRows;
  const numbers = [...table.rows.keys()].filter(
    (index) => !isCut || index < shownAtEachEnd || index >= count - shownAtEachEnd,
  );
  const records = tableRecords(table);
  const kinds = table.columns.map((name) => columnKind(table, name));
  const cells = table.columns.map((name, place) => {
    const values = numbers.map((index) => records[index]?.[name] ?? null);
    const kind = kinds[place] ?? 'object';
    const texts = kind === 'float' ? floatTexts(values) : values.map((value) => cellText(value, kind, repr));
    return withGap(texts, isCut);
  });
  // Numeric columns leave room for a sign. Of a narrowed table, pandas takes the kinds of its first columns for those shown.
  const columnAt = (place: number, position: number) => {
    const name = table.columns[place] ?? '';
    return aligned([kinds[position] === 'object' ? name : ` ${name}`, ...(cells[place] ?? [])], 'right');
  };
  const index = aligned(['', ...withGap(numbers.map(String), isCut)], 'left');
  const columns = table.columns.map((_, place) => columnAt(place, place));
  const fitting = fittingColumns([index, ...columns]);
  const isNarrowed = fitting < columns.length;
  const shown = isNarrowed
    ? withoutMiddle(columns.length, Math.floor(fitting / 2), index, columnAt)
    : columns;
  const lines = index.map((cell, line) => [cell, ...shown.map((column) => column[line] ?? '')].join(' '));
  const size = isCut || isNarrowed ? `\n\n[${count} rows x ${table.columns.length} columns]` : '';
  return lines.join('\n') + size;
}

/** Returns how many columns besides the index fit into a line: those in the middle are left out first, and two always stay. */
function fittingColumns(columns: readonly (readonly string[])[]): number {
  const widths = columns.map(([header = '']) => codePointCount(header));
  let excess = widths.reduce((sum, width) => sum + width + 1, 0) - lineWidth;
  const left: number[] = [];
  const right = widths.reverse();
  let count = right.length;
  for (; excess > 0 && count > 1; count -= 1) {
    while (left.length < halfOf(count)) left.push(right.pop() ?? 0);
    while (left.length > halfOf(count)) right.push(left.pop() ?? 0);
    excess -= (right.pop() ?? 0) + 1;
  }
  return Math.max(count - 1, 2);
}

/** Half of a number, rounded as Python does: to the even neighbor. */
function halfOf(count: number): number {
  const half = count / 2;
  return Number.isInteger(half) || Math.floor(half) % 2 === 0 ? Math.floor(half) : Math.ceil(half);
}

function withoutMiddle(
  count: number,
  atEachEnd: number,
  index: readonly string[],
  columnAt: (place: number, position: number) => readonly string[],
): readonly (readonly string[])[] {
  const ends = Array.from({ length: atEachEnd }, (_, place) => place);
  return [
    ...ends.map((place) => columnAt(place, place)),
    index.map(() => ' ...'),
    ...ends.map((place) => columnAt(count - atEachEnd + place, atEachEnd + place)),
  ];
}

function emptyText({ columns, rows }: DataFrame): string {
  const index = rows.length === 0 ? '[]' : `[${[...rows.keys()].join(', ')}]`;
  return `Empty Table\nColumns: [${columns.join(', ')}]\nIndex: ${index}`;
}

function withGap(cells: readonly string[], isCut: boolean): readonly string[] {
  if (!isCut) return cells;
  const width = Math.max(...cells.map((cell) => cell.length));
  const gap = width > 3 ? '...' : '..';
  return [...cells.slice(0, shownAtEachEnd), gap, ...cells.slice(shownAtEachEnd)];
}

/** Fills up cells to the width of the widest one. */
function aligned(cells: readonly string[], side: 'left' | 'right'): readonly string[] {
  const width = Math.max(...cells.map((cell) => codePointCount(cell)));
  return cells.map((cell) => {
    const gap = ' '.repeat(width - codePointCount(cell));
    return side === 'left' ? cell + gap : gap + cell;
  });
}

function cellText(value: PythonValue, kind: ColumnKind, repr: (value: PythonValue) => string): string {
  const text = printed(value, repr);
  if (kind === 'int') return signed(text);
  return isFloat(value) ? signed(trimmed(floatText(value))) : ` ${text}`;
}

function signed(text: string): string {
  return text.startsWith('-') ? text : ` ${text}`;
}

function isFloat(value: PythonValue): value is number | PythonFloat {
  if (value instanceof PythonFloat) return true;
  return typeof value === 'number' && Number.isFinite(value) && !Number.isInteger(value);
}

function floatText(value: number | PythonFloat): string {
  return fixed6(typeof value === 'number' ? value : value.value);
}

function trimmed(text: string): string {
  return text.replace(/(\.[0-9]+?)0+$/, '$1');
}

function printed(value: PythonValue, repr: (value: PythonValue) => string): string {
  if (typeof value === 'string') return oneLine(value);
  if (Number.isNaN(value)) return 'NaN';
  if (Array.isArray(value)) return `[${value.map((item: PythonValue) => printed(item, repr)).join(', ')}]`;
  return oneLine(repr(value));
}

function oneLine(text: string): string {
  return text.replaceAll('\t', '\\t').replaceAll('\n', '\\n').replaceAll('\r', '\\r');
}

/** Formats with six decimals without common trailing zeros; with exponents when a number is too small or too large. */
function floatTexts(values: readonly PythonValue[]): readonly string[] {
  const numbers = values.map((value) =>
    value instanceof PythonFloat ? value.value : Number(value ?? Number.NaN),
  );
  const texts = withoutCommonZeros(numbers.map((number) => numberText(number, fixed6)));
  const isLong = texts.some((text) => text.length > 12) && numbers.some((number) => Math.abs(number) > 1e6);
  const isSmall = numbers.some((number) => number !== 0 && Math.abs(number) < 1e-6);
  return isLong || isSmall ? numbers.map((number) => numberText(number, exponential)) : texts;
}

function numberText(number: number, write: (finite: number) => string): string {
  if (Number.isFinite(number)) return signed(write(number));
  return Number.isNaN(number) ? 'NaN' : floatRepr(number);
}

function fixed6(number: number): string {
  return (number < 0 ? '-' : '') + fixedDigits(Math.abs(number), 6);
}

function exponential(number: number): string {
  const { digits, exponent } = significantDigits(Math.abs(number), 7);
  return `${number < 0 ? '-' : ''}${digits.slice(0, 1)}.${digits.slice(1)}e${pythonExponent(exponent)}`;
}

function withoutCommonZeros(texts: readonly string[]): readonly string[] {
  const zeros = texts.filter((text) => text.includes('.')).map((text) => /0*$/.exec(text)?.[0].length ?? 0);
  const common = Math.min(5, ...zeros);
  return texts.map((text) => (text.includes('.') ? text.slice(0, text.length - common) : text));
}
