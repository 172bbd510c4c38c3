import { isDict, jsonValue } from '@millrace/flow';
import { parsePythonJson } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';

/**
 * Returns the body for rows, as JSON: an object of their keys and values, or the whole first row without key and value,
 * which is the form of a connected value. Values that are JSON texts are parsed.
 */
export function requestBody(rows: readonly PythonObject[]): string {
  const wholeRow = rows.find((row) => !isEntry(row));
  const body =
    wholeRow ?? Object.fromEntries(rows.map(({ key, value }) => [String(key), parsedValue(value ?? null)]));
  const sent = Object.entries(body).map(([name, value]) => [name, jsonValue(parsedValue(value))]);
  return JSON.stringify(Object.fromEntries(sent));
}

function isEntry(row: PythonObject): boolean {
  return isDict(row) && Object.hasOwn(row, 'key') && Object.hasOwn(row, 'value');
}

function parsedValue(value: PythonValue): PythonValue {
  if (typeof value !== 'string') return value;
  try {
    return parsePythonJson(value);
  } catch {
    return value;
  }
}
