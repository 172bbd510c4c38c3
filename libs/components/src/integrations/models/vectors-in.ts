import { ComponentError } from '@millrace/flow';
import type { PythonValue } from '@millrace/python-text';
import { bodyExcerpt } from '../http/error-text';
import type { Vector } from './embedding-protocol';

/** Returns the vectors in a provider's answer. Throws a ComponentError, with what came, when they are no such list. */
export function vectorsIn(provider: string, value: PythonValue, answer: PythonValue): readonly Vector[] {
  if (!Array.isArray(value) || !areVectors(value)) {
    const found = bodyExcerpt(JSON.stringify(answer));
    throw new ComponentError(`${provider} did not return vectors, but: ${found}`, undefined, {
      permanent: false,
    });
  }
  return value;
}

/** Vectors of one answer are of one model: they have one length. */
function areVectors(values: readonly PythonValue[]): values is number[][] {
  const [first] = values;
  if (!Array.isArray(first)) return false;
  return values.every((value) => isVector(value) && value.length === first.length);
}

function isVector(value: PythonValue): value is number[] {
  return Array.isArray(value) && value.length > 0 && value.every((entry) => Number.isFinite(entry));
}
