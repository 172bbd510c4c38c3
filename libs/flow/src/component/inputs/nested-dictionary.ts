import type { PythonObject } from '@millrace/python-text';
import { ComponentError } from '../../errors';
import type { Input } from '../input';
import { classText } from './class-text';
import type { DictionaryOptions } from './dictionary';
import { dictionary } from './dictionary';

/** An object of any depth. A list is refused; one in a saved field is already merged. */
export function nestedDictionary(options: DictionaryOptions = {}): Input<PythonObject> {
  const plain = dictionary(options);
  return {
    ...plain,
    kind: 'NestedDict',
    inputTypes: options.inputTypes ?? ['Data', 'JSON'],
    convert: (value, inputName) => {
      if (Array.isArray(value)) {
        throw new ComponentError(`Invalid value type ${classText(value)} for input ${inputName}.`);
      }
      return plain.convert(value, inputName);
    },
  };
}
