import type { Data } from './data';
import type { DataFrame } from './data-frame';
import type { Message } from './message';
import type { Handle } from './handle';
import type { PythonFloat } from './python-float';

/**
 * A value in a component. Most of Python's values are plain JavaScript values; those that JavaScript cannot distinguish
 * have a class or type: a float with an integral value (`1.0`) is a {@link PythonFloat}, an integer beyond 2^53 a
 * bigint. A number is an integer when `Number.isInteger`, else a float.
 */
export type PythonValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | PythonFloat
  | Message
  | Data
  | DataFrame
  | Handle
  | readonly PythonValue[]
  | PythonObject;

/** A Python dict with string keys, in insertion order. */
export interface PythonObject {
  readonly [key: string]: PythonValue;
}
