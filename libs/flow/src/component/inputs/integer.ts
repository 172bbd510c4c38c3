import { PythonFloat } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import { ComponentError } from '../../errors';
import type { Input } from '../input';
import { classText } from './class-text';
import type { InputOptions } from './input-options';
import { commonInputMembers } from './input-options';

export interface IntegerOptions extends InputOptions {
  readonly default?: number;
}

/** A whole number; fractions are truncated. An empty value means the default, or null without a default. */
export function integer(options: IntegerOptions & { readonly default: number }): Input<number>;
export function integer(options?: IntegerOptions): Input<number | null>;
export function integer(options: IntegerOptions = {}): Input<number | null> {
  const fallback = options.default ?? null;
  return {
    ...commonInputMembers(options),
    kind: 'Int',
    inputTypes: options.inputTypes ?? [],
    default: fallback,
    convert: (value, inputName) => integerOf(value, inputName) ?? fallback,
  };
}

function integerOf(value: PythonValue, inputName: string): number | null {
  if (value === null || value === '' || value === false) return null;
  if (typeof value === 'number') return Math.trunc(value);
  if (value instanceof PythonFloat) return Math.trunc(value.value);
  if (typeof value === 'bigint') return Number(value);
  if (value === true) return 1;
  throw new ComponentError(`Invalid value type ${classText(value)} for input ${inputName}.`);
}
