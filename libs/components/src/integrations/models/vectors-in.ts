import { ComponentError } from '@millrace/flow';
import type { PythonValue } from '@millrace/python-text';
import type { Vector } from './embedding-protocol';

/** Returns a list of vectors from a provider's answer. Throws a ComponentError when the value is not such a list. */
export function vectorsIn(provider: string, value: PythonValue): readonly Vector[] {
  if (!Array.isArray(value) || !value.every(isVector)) {
    throw new ComponentError(`${provider} did not return vectors.`);
  }
  return value;
}

function isVector(value: PythonValue): value is number[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'number');
}
