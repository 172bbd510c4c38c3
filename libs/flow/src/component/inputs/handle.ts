import type { PythonValue } from '../../values/python-value';
import type { Input } from '../input';
import type { InputOptions } from './input-options';
import { described } from './input-options';

/** Whatever a wire brings, unchanged; null when nothing is wired. The component checks what it got. */
export function handle(options: InputOptions = {}): Input<PythonValue> {
  return {
    ...described(options),
    kind: 'Handle',
    inputTypes: options.inputTypes ?? [],
    default: null,
    convert: (value) => value,
  };
}
