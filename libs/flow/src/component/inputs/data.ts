import { Data, Message, messageMembers } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import { ComponentError } from '../../errors';
import type { Input } from '../input';
import { classText } from './class-text';
import type { InputOptions } from './input-options';
import { commonInputMembers } from './input-options';
import { isDict } from './python-dict';

export interface DataOptions extends InputOptions {
  /** Returns the error text for a value that is not Data; the text of the kind by default. */
  readonly refusal?: (value: PythonValue) => string;
}

/** A Data (JSON) object. A message is accepted as data with all its fields. */
export function data(options: DataOptions = {}): Input<Data> {
  return {
    ...commonInputMembers(options),
    kind: 'Data',
    inputTypes: options.inputTypes ?? ['Data', 'JSON'],
    default: new Data(),
    convert: (value) => {
      if (value instanceof Data) return value;
      if (value instanceof Message) return new Data(messageMembers(value));
      if (value === null) return new Data();
      if (isDict(value)) return new Data(value);
      throw new ComponentError(options.refusal?.(value) ?? `Invalid value type ${classText(value)}`);
    },
  };
}
