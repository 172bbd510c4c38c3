import { ComponentError } from '../../errors';
import type { Input } from '../input';
import { classText } from './class-text';
import type { InputOptions } from './input-options';
import { commonInputMembers } from './input-options';

export interface DropdownOptions extends InputOptions {
  readonly options: readonly string[];
  readonly default?: string;
  /** The options are examples: a language model is not bound to them. */
  readonly opensOptions?: true;
}

/** One of several texts. Other texts are accepted too, because saved flows name options of other releases. */
export function dropdown(options: DropdownOptions): Input<string> {
  const fallback = options.default ?? '';
  return {
    ...commonInputMembers(options),
    kind: 'Dropdown',
    inputTypes: options.inputTypes ?? [],
    options: options.options,
    ...(options.opensOptions === true ? { opensOptions: true } : {}),
    default: fallback,
    convert: (value) => {
      if (value === null || value === '') return fallback;
      if (typeof value === 'string') return value;
      throw new ComponentError(`Invalid value type ${classText(value)}`);
    },
  };
}
