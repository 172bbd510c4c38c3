import { Data, DataFrame } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import { ComponentError } from '../../errors';
import type { Input } from '../input';
import { classText } from './class-text';
import type { InputOptions } from './input-options';
import { commonInputMembers } from './input-options';
import { isDict } from './python-dict';

/** A DataFrame (Table); a list of Data or of objects becomes its rows. */
export function dataFrame(options: InputOptions = {}): Input<DataFrame> {
  return {
    ...commonInputMembers(options),
    kind: 'DataFrame',
    inputTypes: options.inputTypes ?? ['DataFrame', 'Table'],
    default: new DataFrame([]),
    convert: (value) => frameOf(value),
  };
}

function frameOf(value: PythonValue): DataFrame {
  if (value instanceof DataFrame) return value;
  if (value === null || value === '') return new DataFrame([]);
  if (!Array.isArray(value)) throw new ComponentError(`Invalid value type ${classText(value)}`);
  const items: readonly PythonValue[] = value;
  return new DataFrame(
    items.map((item) => {
      if (item instanceof Data) return item.data;
      if (isDict(item)) return item;
      throw new ComponentError('List items must be either all Data objects or all dictionaries');
    }),
  );
}
