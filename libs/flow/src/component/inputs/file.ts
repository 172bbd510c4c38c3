import type { PythonValue } from '@millrace/python-text';
import { ComponentError } from '../../errors';
import type { Input } from '../input';
import { classText } from './class-text';
import type { InputOptions } from './input-options';
import { commonInputMembers } from './input-options';

/** Paths of uploaded files. Empty paths are omitted. */
export function file(options: InputOptions = {}): Input<readonly string[]> {
  return {
    ...commonInputMembers(options),
    kind: 'File',
    list: true,
    inputTypes: options.inputTypes ?? [],
    default: [],
    convert: (value) => pathsOf(value),
  };
}

function pathsOf(value: PythonValue): readonly string[] {
  if (value === null || value === '') return [];
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap((path: PythonValue) => pathsOf(path));
  throw new ComponentError(`Invalid value type ${classText(value)}`);
}
