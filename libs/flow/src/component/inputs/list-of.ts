import type { PythonValue } from '@millrace/python-text';
import type { Input } from '../input';

/** Returns the same input for several values: each is converted; a single value is treated as a list of one. */
export function listOf<T>(input: Input<T>): Input<readonly T[]> {
  return {
    ...input,
    list: true,
    default: [],
    convert: (value, inputName) => elements(value).map((element) => input.convert(element, inputName)),
  };
}

function elements(value: PythonValue): readonly PythonValue[] {
  if (value === null || value === '') return [];
  return Array.isArray(value) ? value : [value];
}
