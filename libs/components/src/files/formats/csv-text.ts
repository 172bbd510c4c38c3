import { floatRepr, PythonFloat, str } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';

/** Formats rows as CSV like pandas: quotes only where needed, nothing for a missing value. */
export function csvText(rows: readonly (readonly PythonValue[])[]): string {
  return rows.map((row) => `${row.map((value) => cell(value, row.length)).join(',')}\n`).join('');
}

function cell(value: PythonValue, columns: number): string {
  const text = cellText(value);
  // An empty line would not count as a row.
  if (text === '' && columns === 1) return '""';
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function cellText(value: PythonValue): string {
  if (value === null || Number.isNaN(value)) return '';
  if (value instanceof PythonFloat) return floatRepr(value.value);
  return str(value);
}
