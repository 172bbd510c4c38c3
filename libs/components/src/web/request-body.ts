import { isDict, jsonValue, parsePythonJson } from '@millrace/flow';
import type { PythonObject, PythonValue } from '@millrace/flow';

/**
 * The body that rows stand for, as JSON: an object of their keys and values, or the first row that has no key and
 * value, whole, which is what a wire brings. Texts that are JSON are sent as what they say.
 */
export function requestBody(rows: readonly PythonObject[]): string {
  const whole = rows.find((row) => !isEntry(row));
  const body =
    whole ?? Object.fromEntries(rows.map(({ key, value }) => [String(key), spoken(value ?? null)]));
  const sent = Object.entries(body).map(([name, value]) => [name, jsonValue(spoken(value))]);
  return JSON.stringify(Object.fromEntries(sent));
}

function isEntry(row: PythonObject): boolean {
  return isDict(row) && Object.hasOwn(row, 'key') && Object.hasOwn(row, 'value');
}

function spoken(value: PythonValue): PythonValue {
  if (typeof value !== 'string') return value;
  try {
    return parsePythonJson(value);
  } catch {
    return value;
  }
}
