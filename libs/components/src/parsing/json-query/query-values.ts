import { isDict } from '@millrace/flow';
import { codePointCount } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { describedValue } from './described-value';
import { jsonType, numberOf } from './json-order';
import { QueryError } from './query-error';

/** Whether jq regards a value as true: any value except false and null. */
export function isTrue(value: PythonValue): boolean {
  return value !== null && value !== false;
}

/** Returns a list; throws a QueryError for any other value. */
export function listOf(value: PythonValue): readonly PythonValue[] {
  if (Array.isArray(value)) return value;
  throw new QueryError(`${jsonType(value)} is not an array`);
}

/** Returns an object; throws a QueryError for any other value. */
export function objectOf(value: PythonValue): PythonObject {
  if (isDict(value)) return value;
  throw new QueryError(`${describedValue(value)} has no keys`);
}

/** Returns a text; throws a QueryError for any other value. */
export function textOf(value: PythonValue): string {
  if (typeof value === 'string') return value;
  throw new QueryError(`${jsonType(value)} is not a string`);
}

/** Returns a number; throws a QueryError for any other value. */
export function amountOf(value: PythonValue): number {
  if (jsonType(value) === 'number') return numberOf(value);
  throw new QueryError(`${jsonType(value)} is not a number`);
}

/** jq's `.[]`: the items of a list or the values of an object. Throws a QueryError for any other value. */
export function itemsOf(value: PythonValue): readonly PythonValue[] {
  if (Array.isArray(value)) return value;
  if (isDict(value)) return Object.values(value);
  throw new QueryError(`Cannot iterate over ${describedValue(value)}`);
}

/** jq's `length`: the number of characters, items or keys, or a number without its sign. Throws for true and false. */
export function lengthOf(value: PythonValue): number {
  if (value === null) return 0;
  if (typeof value === 'string') return codePointCount(value);
  if (typeof value === 'boolean') throw new QueryError('boolean has no length');
  return jsonType(value) === 'number' ? Math.abs(numberOf(value)) : itemsOf(value).length;
}
