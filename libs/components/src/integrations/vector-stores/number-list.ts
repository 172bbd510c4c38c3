import { PythonFloat } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import type { Vector } from '../models/embedding-protocol';

/** Returns a list of numbers as a vector; null for any other value. */
export function numberList(value: PythonValue): Vector | null {
  if (!Array.isArray(value)) return null;
  const numbers = (value as readonly PythonValue[]).map(numberOf);
  return numbers.every((number) => number !== null) ? numbers : null;
}

/** Returns an integer or a float as a number; null for any other value. */
export function numberOf(value: PythonValue): number | null {
  if (value instanceof PythonFloat) return value.value;
  return typeof value === 'number' ? value : null;
}
