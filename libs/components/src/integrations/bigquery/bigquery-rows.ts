import { PythonFloat } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { member, objectsMember, textMember } from '../http/json-members';

/** Converts the rows of an answer by the schema of their columns. */
export function bigQueryRows(
  rows: readonly PythonObject[],
  fields: readonly PythonObject[],
): readonly PythonObject[] {
  return rows.map((row) => recordOf(row, fields));
}

function recordOf(record: PythonValue, fields: readonly PythonObject[]): PythonObject {
  const cells = objectsMember(record, 'f');
  return Object.fromEntries(
    fields.map((field, index) => [textMember(field, 'name'), cellOf(cells[index]?.['v'] ?? null, field)]),
  );
}

function cellOf(value: PythonValue, field: PythonObject): PythonValue {
  if (textMember(field, 'mode') !== 'REPEATED') return scalarOf(value, field);
  if (!Array.isArray(value)) return [];
  return (value as readonly PythonValue[]).map((item) => scalarOf(member(item, 'v'), field));
}

/** BigQuery sends every scalar as a text. Decimals stay texts, so that no digit is lost. */
function scalarOf(value: PythonValue, field: PythonObject): PythonValue {
  const type = textMember(field, 'type');
  if (value === null) return null;
  if (type === 'RECORD' || type === 'STRUCT') return recordOf(value, objectsMember(field, 'fields'));
  if (typeof value !== 'string') return value;
  switch (type) {
    case 'INTEGER':
    case 'INT64': {
      const number = Number(value);
      return Number.isSafeInteger(number) ? number : BigInt(value);
    }
    case 'FLOAT':
    case 'FLOAT64':
      return new PythonFloat(Number(value));
    case 'BOOLEAN':
    case 'BOOL':
      return value === 'true';
    case 'TIMESTAMP':
      return timestampOf(value);
    default:
      return value;
  }
}

/** Microseconds since 1970, as an ISO 8601 text. */
function timestampOf(value: string): string {
  const microseconds = BigInt(value);
  const million = 1_000_000n;
  const fraction = ((microseconds % million) + million) % million;
  const seconds = Number((microseconds - fraction) / million);
  const start = new Date(seconds * 1000).toISOString().slice(0, 19);
  return `${start}${fraction === 0n ? '' : `.${String(fraction).padStart(6, '0')}`}+00:00`;
}
