import type { PythonValue } from '../../values/python-value';
import type { Input } from '../input';

/** The same input taking several values: each is converted, and a single value is a list of one. */
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
