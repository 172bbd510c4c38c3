import { PythonFloat } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import { ComponentError } from '../../errors';
import type { Input } from '../input';
import { classText } from './class-text';
import type { InputOptions } from './input-options';
import { commonInputMembers } from './input-options';
import { numberOf } from './number-of';

export interface FloatOptions extends InputOptions {
  readonly default?: number;
  /** Shown as a slider. */
  readonly slider?: boolean;
}

/** A number. Null means the default, or null without a default; an empty text is 0. */
export function float(options: FloatOptions & { readonly default: number }): Input<number>;
export function float(options?: FloatOptions): Input<number | null>;
export function float(options: FloatOptions = {}): Input<number | null> {
  const fallback = options.default ?? null;
  return {
    ...commonInputMembers(options),
    kind: options.slider ? 'Slider' : 'Float',
    inputTypes: options.inputTypes ?? [],
    default: fallback,
    convert: (value, inputName) => floatOf(value, inputName) ?? fallback,
  };
}

function floatOf(value: PythonValue, inputName: string): number | null {
  if (value === null || typeof value === 'number') return value;
  if (value instanceof PythonFloat) return value.value;
  if (typeof value === 'bigint' || typeof value === 'boolean') return Number(value);
  if (typeof value === 'string') return numberOf(value, 'float', inputName);
  throw new ComponentError(`Invalid value type ${classText(value)} for input ${inputName}.`);
}
