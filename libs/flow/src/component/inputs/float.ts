import { PythonFloat } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import { ComponentError } from '../../errors';
import type { Input } from '../input';
import { classText } from './class-text';
import type { InputOptions } from './input-options';
import { commonInputMembers } from './input-options';

export interface FloatOptions extends InputOptions {
  readonly default?: number;
  /** Shown as a slider. */
  readonly slider?: boolean;
}

/** A number. An empty value means the default, or null without a default. */
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
  if (value === null || value === '' || value === false) return null;
  if (typeof value === 'number') return value;
  if (value instanceof PythonFloat) return value.value;
  if (typeof value === 'bigint') return Number(value);
  if (value === true) return 1;
  throw new ComponentError(`Invalid value type ${classText(value)} for input ${inputName}.`);
}
