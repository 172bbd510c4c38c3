import { isDict } from '@millrace/flow';
import {
  Data,
  DataFrame,
  Message,
  isHandle,
  messageData,
  PythonFloat,
  storableText,
  tableRecords,
} from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';

/** Converts fields to JSON values only, as stores accept them: a missing number becomes null, data become objects. */
export function jsonMetadata(fields: PythonObject): PythonObject {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) =>
      isHandle(value) ? [] : [[storableText(name), plain(value)]],
    ),
  );
}

function plain(value: PythonValue): PythonValue {
  if (typeof value === 'string') return storableText(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (value instanceof PythonFloat) return Number.isFinite(value.value) ? value : null;
  if (value instanceof Message) return plain(messageData(value) as unknown as PythonObject);
  if (value instanceof Data) return plain(value.data);
  if (value instanceof DataFrame) return plain(tableRecords(value));
  if (Array.isArray(value)) return (value as readonly PythonValue[]).map(plain);
  if (isHandle(value)) return null;
  return isDict(value) ? jsonMetadata(value) : value;
}

/** Returns only the fields with plain values: stores that index metadata accept no lists, objects or nulls. */
export function scalarMetadata(metadata: PythonObject): PythonObject {
  return Object.fromEntries(
    Object.entries(metadata).filter(
      ([, value]) =>
        typeof value === 'string' ||
        typeof value === 'number' ||
        typeof value === 'boolean' ||
        value instanceof PythonFloat,
    ),
  );
}
