import { compareTexts } from '../code-point-order';
import { isDict } from '@millrace/flow';
import { PythonFloat } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';

const types: readonly string[] = ['null', 'false', 'true', 'number', 'string', 'array', 'object'];

/** Returns jq's name for the type of a value. */
export function jsonType(value: PythonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (isDict(value)) return 'object';
  if (typeof value === 'bigint' || value instanceof PythonFloat) return 'number';
  return typeof value;
}

/** Compares two values in jq's order: negative, zero or positive. */
export function compareJson(one: PythonValue, other: PythonValue): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  if (typeof one === 'string' && typeof other === 'string') return compareTexts(one, other);
  const rank = rankOf(one) - rankOf(other);
  if (rank !== 0) return rank;
  if (Array.isArray(one) && Array.isArray(other)) return compareLists(one, other);
  if (isDict(one) && isDict(other)) {
    const names = compareLists(sortedKeys(one), sortedKeys(other));
    const members = (value: typeof one): readonly PythonValue[] =>
      sortedKeys(value).map((name) => value[name] ?? null);
    return names === 0 ? compareLists(members(one), members(other)) : names;
  }
  return jsonType(one) === 'number' ? numberOf(one) - numberOf(other) : 0;
}

/** Returns an object's keys in jq's order. */
export function sortedKeys(value: object): readonly string[] {
  return Object.keys(value).sort(compareTexts);
}

/** Converts a number of any kind to a JavaScript number. */
export function numberOf(value: PythonValue): number {
  return value instanceof PythonFloat ? value.value : Number(value);
}

/** Returns a value with integers in place of floats without a fraction, as jq has them. */
export function withIntegers(value: PythonValue): PythonValue {
  if (value instanceof PythonFloat) return Number.isSafeInteger(value.value) ? value.value + 0 : value;
  if (Array.isArray(value)) return value.map(withIntegers);
  if (!isDict(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withIntegers(member)]));
}

let unequal = 0;

/** Returns a text that is that of another value exactly if both are equal. NaN is equal to nothing. */
export function equalityText(value: PythonValue): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(equalityText).join(',')}]`;
  if (isDict(value)) {
    const members = sortedKeys(value).map(
      (name) => `${JSON.stringify(name)}:${equalityText(value[name] ?? null)}`,
    );
    return `{${members.join(',')}}`;
  }
  if (jsonType(value) !== 'number') return String(value);
  const number = numberOf(value);
  return Number.isNaN(number) ? `NaN ${(unequal += 1)}` : String(number);
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
