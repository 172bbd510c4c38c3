import { Data, DataFrame, Message, tableRecords, PythonFloat, isHandle } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import { messageToResult } from './message-result';

/**
 * Returns a value for a response, ready for JSON.stringify: a Message with its data nested and flattened, a Data as
 * `{text_key, data, default_value}`, a table as its rows; NaN and Infinity are null. Integers beyond 2^53 lose their
 * last digits, because JSON.stringify cannot write them.
 */
export function jsonValue(value: PythonValue): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof PythonFloat) return Number.isFinite(value.value) ? value.value : null;
  if (Array.isArray(value)) return value.map((item: PythonValue) => jsonValue(item));
  if (value instanceof Message) return messageToResult(value);
  if (value instanceof Data) {
    return { text_key: value.textKey, data: members(value.data), default_value: value.defaultValue };
  }
  if (value instanceof DataFrame) return tableRecords(value).map(members);
  return isHandle(value) ? null : members(value);
}

function members(object: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(object).map(([key, member]: [string, PythonValue]) => [key, jsonValue(member)]),
  );
}
