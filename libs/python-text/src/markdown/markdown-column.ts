import { codePointCount } from '../text/code-points';
import { formatValue } from '../format/format-value';
import { numericText } from './numeric-text';
import { PythonFloat } from '../values/python-float';
import { str } from '../repr/str';
import type { PythonValue } from '../values/python-value';

/** A column of a Markdown table: the texts of its cells and its layout. */
export interface MarkdownColumn {
  readonly name: string;
  readonly isNumeric: boolean;
  readonly width: number;
  readonly cells: readonly string[];
}

/**
 * Formats a column's values as tabulate does: a column of numeric values as numbers of six digits aligned at the
 * decimal point, any other as trimmed texts.
 */
export function markdownColumn(name: string, values: readonly PythonValue[]): MarkdownColumn {
  const type = values.map(cellType).reduce(moreGeneral, 'bool');
  const isNumeric = type === 'int' || type === 'float';
  const texts = values.map((value) => cellText(value, type));
  const cells = isNumeric ? alignedAtPoint(texts) : texts.map((text) => text.trim());
  // Two characters wider than the header, as in tabulate.
  const width = cells.reduce((widest, text) => Math.max(widest, lineWidth(text)), lineWidth(name) + 2);
  return { name, isNumeric, width, cells };
}

/** Separates the lines of a cell's text. */
export const lineBreak = /\r\n|\n|\r/;

function lineWidth(text: string): number {
  return text.split(lineBreak).reduce((widest, line) => Math.max(widest, codePointCount(line)), 0);
}

type CellType = 'none' | 'bool' | 'int' | 'float' | 'text';

/** From the least to the most general. */
const cellTypes: readonly CellType[] = ['none', 'bool', 'int', 'float', 'text'];

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
  const number = type === 'float' ? floatOf(value) : null;
  return number === null ? str(value) : formatValue(new PythonFloat(number), 'g');
}

/** Returns the number that a cell contains as a number or as text; null for other values, such as the text "True". */
function floatOf(value: PythonValue): number | null {
  if (value instanceof PythonFloat) return value.value;
  if (typeof value !== 'string') return Number(value);
  if (numericText(value) === null) return null;
  const digits = value.replace(/[,_]/g, '').trim().toLowerCase();
  return digits.endsWith('inf') ? Number(digits.replace('inf', 'Infinity')) : Number(digits);
}

function alignedAtPoint(texts: readonly string[]): readonly string[] {
  const decimals = texts.map(placesAfterPoint);
  const widest = decimals.reduce((first, second) => Math.max(first, second), -1);
  return texts.map((text, index) => text + ' '.repeat(widest - (decimals[index] ?? widest)));
}

/** Returns -1 without a decimal point and without an exponent; an exponent counts when there is no point. */
function placesAfterPoint(text: string): number {
  if (numericText(text) === null) return -1;
  const point = text.lastIndexOf('.');
  const position = point === -1 ? text.toLowerCase().lastIndexOf('e') : point;
  return position === -1 ? -1 : text.length - position - 1;
}
