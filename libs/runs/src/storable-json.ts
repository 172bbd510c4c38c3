import { unstorableCharacterInJson } from '@millrace/http';
import { storableText } from '@millrace/python-text';

/**
 * Serializes a value for a column whose members statements read: a row with a text that PostgreSQL cannot read fails them.
 * Requests with such texts were refused; what an earlier release stored is replaced when its row is saved again.
 */
export function storableJson(value: unknown): string {
  const text = JSON.stringify(value);
  return unstorableCharacterInJson(text, value) === null ? text : JSON.stringify(storableValue(value));
}

function storableValue(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(storableValue);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [storableText(name), storableValue(member)]),
  );
}
