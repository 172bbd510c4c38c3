import { ComponentError } from '@millrace/flow';
import type { PythonValue } from '@millrace/flow';
import type { Vector } from '../embedding-protocol';

/** A list of vectors in a provider's answer. Throws a ComponentError when it is none. */
export function vectorsIn(provider: string, value: PythonValue): readonly Vector[] {
  if (!Array.isArray(value) || !value.every(isVector)) {
    throw new ComponentError(`${provider} gave something else than vectors.`);
  }
  return value;
}

function isVector(value: PythonValue): value is number[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'number');
}
