import { PythonFloat } from '@millrace/flow';
import type { PythonValue } from '@millrace/flow';
import type { Vector } from './embedding-protocol';

/** A vector as Python's list of floats, whole ones among them. */
export function floatList(vector: Vector): readonly PythonValue[] {
  return vector.map(floatOf);
}

/** A number as Python's float. */
export function floatOf(value: number): PythonValue {
  return Number.isInteger(value) ? new PythonFloat(value) : value;
}
