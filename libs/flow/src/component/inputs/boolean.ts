import { PythonFloat } from '../../python/python-float';
import type { PythonValue } from '../../values/python-value';
import type { Input } from '../input';
import type { InputOptions } from './input-options';
import { described } from './input-options';

export interface BooleanOptions extends InputOptions {
  readonly default?: boolean;
}

/** A switch; false unless said otherwise. As in Python, any text but the empty one is true. */
export function boolean(options: BooleanOptions = {}): Input<boolean> {
  const fallback = options.default ?? false;
  return {
    ...described(options),
    kind: 'Bool',
    inputTypes: options.inputTypes ?? [],
    default: fallback,
    convert: (value) => (value === null ? fallback : isTrue(value)),
  };
}

function isTrue(value: PythonValue): boolean {
  return value instanceof PythonFloat ? value.value !== 0 : Boolean(value);
}
