import type { PythonValue } from '@millrace/python-text';
import type { Input } from '../input';
import type { InputOptions } from './input-options';
import { commonInputMembers } from './input-options';

/** The value that an edge delivers, unchanged; null without an edge. The component validates the value. */
export function handle(options: InputOptions = {}): Input<PythonValue> {
  return {
    ...commonInputMembers(options),
    kind: 'Handle',
    inputTypes: options.inputTypes ?? [],
    default: null,
    convert: (value) => value,
  };
}
