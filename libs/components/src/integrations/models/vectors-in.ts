import { ComponentError } from '@millrace/flow';
import type { PythonValue } from '@millrace/python-text';
import { bodyExcerpt } from '../http/error-text';
import type { Vector } from './embedding-protocol';

/** Returns the vectors in a provider's answer. Throws a ComponentError, with what came, when they are no such list. */
export function vectorsIn(provider: string, value: PythonValue, answer: PythonValue): readonly Vector[] {
  if (!Array.isArray(value) || value.length === 0 || !value.every(isVector)) {
    const found = bodyExcerpt(JSON.stringify(answer));
    throw new ComponentError(`${provider} did not return vectors, but: ${found}`, undefined, {
      permanent: false,
    });
  }
  return value;
}

function isVector(value: PythonValue): value is number[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'number');
}
