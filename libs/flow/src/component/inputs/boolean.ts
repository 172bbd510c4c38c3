import { PythonFloat } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import type { Input } from '../input';
import type { InputOptions } from './input-options';
import { commonInputMembers } from './input-options';

export interface BooleanOptions extends InputOptions {
  readonly default?: boolean;
}

/** A switch; false by default. As in Python, every non-empty text is true. */
export function boolean(options: BooleanOptions = {}): Input<boolean> {
  const fallback = options.default ?? false;
  return {
    ...commonInputMembers(options),
    kind: 'Bool',
    inputTypes: options.inputTypes ?? [],
    default: fallback,
    convert: (value) => (value === null ? fallback : isTrue(value)),
  };
}

function isTrue(value: PythonValue): boolean {
  return value instanceof PythonFloat ? value.value !== 0 : Boolean(value);
}
