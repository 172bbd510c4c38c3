import { PythonFloat } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import type { Vector } from '../integrations/models/embedding-protocol';

/** Converts a vector to a Python list of floats, including those with integer values. */
export function floatList(vector: Vector): readonly PythonValue[] {
  return vector.map(floatOf);
}

/** Converts a number to a Python float. */
export function floatOf(value: number): PythonValue {
  return Number.isInteger(value) ? new PythonFloat(value) : value;
}
