import { str } from '@millrace/python-text';
import { ComponentError } from '../../errors';
import type { Input } from '../input';
import type { InputOptions } from './input-options';
import { commonInputMembers } from './input-options';

export interface TabOptions<Option extends string> extends InputOptions {
  readonly options: readonly Option[];
  readonly default: Option;
  /** Current option by its former name. */
  readonly formerNames?: Readonly<Record<string, Option>>;
}

/** Exactly one of a few options. */
export function tab<const Option extends string>(options: TabOptions<Option>): Input<Option> {
  const current = new Map<string, Option>(options.options.map((option) => [option, option]));
  for (const [former, option] of Object.entries(options.formerNames ?? {})) current.set(former, option);
  return {
    ...commonInputMembers(options),
    kind: 'Tab',
    inputTypes: options.inputTypes ?? [],
    options: options.options,
    default: options.default,
    convert: (value) => {
      if (value === null || value === '') return options.default;
      const chosen = typeof value === 'string' ? current.get(value) : undefined;
      if (chosen !== undefined) return chosen;
      throw new ComponentError(`Invalid value: ${str(value)}. Must be one of: ${options.options.join(', ')}`);
    },
  };
}
