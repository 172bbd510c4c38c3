import { str } from '@millrace/python-text';
import type { PythonObject } from '@millrace/python-text';

/** Formats a row of a table as TOML: a section for each column, its value as a text. */
export function rowToml(row: PythonObject): string {
  return Object.entries(row)
    .map(([column, value]) => `[${key(column)}]\nvalue = ${quoted(str(value))}\n`)
    .join('\n');
}

function key(name: string): string {
  return /^[A-Za-z0-9_-]+$/.test(name) ? name : quoted(name);
}

/** TOML's basic strings are written as in JSON, except for the one control character that JSON does not escape. */
function quoted(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f');
}
