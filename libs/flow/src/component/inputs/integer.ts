import { PythonFloat } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import { ComponentError } from '../../errors';
import type { Input } from '../input';
import { classText } from './class-text';
import type { InputOptions } from './input-options';
import { commonInputMembers } from './input-options';
import { numberOf } from './number-of';

export interface IntegerOptions extends InputOptions {
  readonly default?: number;
}

/** A whole number; fractions are truncated. Null means the default, or null without a default; an empty text is 0. */
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
  if (value === null) return null;
  if (typeof value === 'number') return Math.trunc(value);
  if (value instanceof PythonFloat) return Math.trunc(value.value);
  if (typeof value === 'bigint' || typeof value === 'boolean') return Number(value);
  if (typeof value === 'string') return Math.trunc(numberOf(value, 'integer', inputName));
  throw new ComponentError(`Invalid value type ${classText(value)} for input ${inputName}.`);
}
