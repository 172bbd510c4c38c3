import { compareTexts } from '../../tables/cells';
import { isDict, PythonFloat } from '@millrace/flow';
import type { PythonValue } from '@millrace/flow';

const types: readonly string[] = ['null', 'false', 'true', 'number', 'string', 'array', 'object'];

/** What jq calls the type of a value. */
export function jsonType(value: PythonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (isDict(value)) return 'object';
  if (typeof value === 'bigint' || value instanceof PythonFloat) return 'number';
  return typeof value;
}

/** Which of two values jq puts first; 0 when they are equal. */
export function compareJson(one: PythonValue, other: PythonValue): number {
  const rank = rankOf(one) - rankOf(other);
  if (rank !== 0) return rank;
  if (typeof one === 'string' && typeof other === 'string') return compareTexts(one, other);
  if (Array.isArray(one) && Array.isArray(other)) return compareLists(one, other);
  if (isDict(one) && isDict(other)) {
    const names = compareLists(sortedKeys(one), sortedKeys(other));
    const members = (value: typeof one): readonly PythonValue[] =>
      sortedKeys(value).map((name) => value[name] ?? null);
    return names === 0 ? compareLists(members(one), members(other)) : names;
  }
  return jsonType(one) === 'number' ? numberOf(one) - numberOf(other) : 0;
}

/** An object's names in jq's order. */
export function sortedKeys(value: object): readonly string[] {
  return Object.keys(value).sort(compareTexts);
}

/** A number of any kind as JavaScript's. */
export function numberOf(value: PythonValue): number {
  return value instanceof PythonFloat ? value.value : Number(value);
}

function compareLists(one: readonly PythonValue[], other: readonly PythonValue[]): number {
  for (const [position, value] of one.entries()) {
    if (position >= other.length) return 1;
    const order = compareJson(value, other[position] ?? null);
    if (order !== 0) return order;
  }
  return one.length - other.length;
}

function rankOf(value: PythonValue): number {
  return types.indexOf(typeof value === 'boolean' ? String(value) : jsonType(value));
}
