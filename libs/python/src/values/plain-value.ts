import type { PythonValue } from '@millrace/python-text';
import { decodeValue } from './decode-value';
import { encodeValue } from './encode-value';
import type { LiveObjects } from './live-objects';

/** Thrown for an object that only its process has. */
const isLive = new Error('An object of its process.');
const refuse = (): never => {
  throw isLive;
};
const noObjects: LiveObjects = {
  numberOf: refuse,
  host: refuse,
  wrap: refuse,
  textStream: refuse,
  referenceOf: refuse,
};

/** Returns a value as plain JSON, from which `valueOfPlain` builds it again; undefined if it contains a model, a tool or the like. */
export function plainValue(value: PythonValue): PythonValue | undefined {
  try {
    return encodeValue(value, noObjects);
  } catch (error) {
    if (error === isLive) return undefined;
    throw error;
  }
}

/** Returns the value of `plainValue`. Throws a FrameError for a value that it does not give. */
export function valueOfPlain(plain: PythonValue): PythonValue {
  return decodeValue(plain, noObjects);
}
