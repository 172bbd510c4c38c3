import { isDict, jsonValue } from '@millrace/flow';
import { PythonFloat, tableRecords } from '@millrace/python-text';
import type { DataFrame, PythonObject, PythonValue } from '@millrace/python-text';

/** Returns a table's rows with null for missing values. */
export function plainRecords(table: DataFrame): readonly PythonObject[] {
  return tableRecords(table).map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [name, Number.isNaN(value) ? null : value]),
    ),
  );
}

/**
 * Formats a table's rows like pandas' `to_json(orient="records", indent=2)`: no space after a colon, slashes and
 * non-ASCII characters escaped, ten decimals at most.
 */
export function tableJson(table: DataFrame): string {
  return formatted(plainRecords(table), '\n');
}

function formatted(value: PythonValue, newline: string): string {
  const inner = `${newline}  `;
  if (Array.isArray(value)) {
    const items = (value as readonly PythonValue[]).map((item) => inner + formatted(item, inner));
    return items.length === 0 ? '[]' : `[${items.join(',')}${newline}]`;
  }
  if (isDict(value)) {
    const members = Object.entries(value).map(
      ([key, item]) => `${inner}${quoted(key)}:${formatted(item, inner)}`,
    );
    return members.length === 0 ? '{}' : `{${members.join(',')}${newline}}`;
  }
  if (typeof value === 'string') return quoted(value);
  if (value instanceof PythonFloat || typeof value === 'number') return numberText(value);
  return quotedJson(JSON.stringify(jsonValue(value)) ?? 'null');
}

function numberText(value: number | PythonFloat): string {
  if (value instanceof PythonFloat) return value.value.toFixed(1);
  if (!Number.isFinite(value)) return 'null';
  return Number.isInteger(value) ? String(value) : String(Number(value.toFixed(10)));
}

function quoted(text: string): string {
  return quotedJson(JSON.stringify(text));
}

function quotedJson(json: string): string {
  return json
    .replaceAll('/', '\\/')
    .replaceAll(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
