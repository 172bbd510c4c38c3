import { jsonDumpsCompact, typeName } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import type { Input } from '../input';
import { text } from './text';
import type { TextOptions } from './text';

const jsonTypes: ReadonlySet<string> = new Set(['dict', 'list', 'int', 'float', 'bool']);

/** A text that holds JSON. An object, a list, a number or a boolean is taken as the JSON that it is. */
export function jsonText(options: TextOptions = {}): Input<string> {
  const input = text(options);
  return {
    ...input,
    holdsJson: true,
    convert: (value: PythonValue, name) =>
      jsonTypes.has(typeName(value)) ? jsonDumpsCompact(value) : input.convert(value, name),
  };
}
