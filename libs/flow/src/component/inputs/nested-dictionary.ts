import { parsePythonJson } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import type { Input } from '../input';
import type { DictionaryOptions } from './dictionary';
import { dictionary, dictOf } from './dictionary';

/** An object of any depth; text is parsed as JSON. */
export function nestedDictionary(options: DictionaryOptions = {}): Input<PythonObject> {
  const plain = dictionary(options);
  return {
    ...plain,
    kind: 'NestedDict',
    inputTypes: options.inputTypes ?? ['Data', 'JSON'],
    convert: (value, inputName) =>
      typeof value === 'string' && value !== '' ? dictOf(parsed(value)) : plain.convert(value, inputName),
  };
}

function parsed(text: string): PythonValue {
  try {
    return parsePythonJson(text);
  } catch {
    return text;
  }
}
