import { messageToResult } from '@millrace/flow';
import { Data, DataFrame, Message, PythonFloat, isHandle } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';

/** Returns a value for results, ready for JSON.stringify; a handle, which can contain keys, becomes null. */
export function jsonValue(value: PythonValue): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof PythonFloat) return value.value;
  if (value instanceof Message) return messageToResult(value);
  if (value instanceof Data) {
    return { text_key: value.textKey, data: jsonObject(value.data), default_value: value.defaultValue };
  }
  if (value instanceof DataFrame) return jsonRows(value);
  if (Array.isArray(value)) return (value as readonly PythonValue[]).map(jsonValue);
  return isHandle(value) ? null : jsonObject(value as PythonObject);
}

/** Returns the members of an object as JSON. */
export function jsonObject(object: PythonObject): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, jsonValue(value)]));
}

/** Returns the rows of a table: every column in every row, missing cells as null. */
export function jsonRows(table: DataFrame): readonly Readonly<Record<string, unknown>>[] {
  return table.rows.map((row) =>
    Object.fromEntries(
      table.columns.map((column) => [
        column,
        Object.hasOwn(row, column) ? jsonValue(row[column] ?? null) : null,
      ]),
    ),
  );
}
