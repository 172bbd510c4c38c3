import type { PythonValue } from '../../values/python-value';
import type { Input } from '../input';
import type { InputOptions } from './input-options';
import { described } from './input-options';
import { isDict } from './python-dict';

export interface SortableListOptions extends InputOptions {
  readonly options: readonly string[];
}

/** The names of chosen options, in their order. Other names are taken too; older files hold one as a plain text. */
export function sortableList(options: SortableListOptions): Input<readonly string[]> {
  return {
    ...described(options),
    kind: 'SortableList',
    inputTypes: options.inputTypes ?? [],
    options: options.options,
    default: [],
    convert: (value) => (Array.isArray(value) ? value.flatMap(namesOf) : namesOf(value)),
  };
}

function namesOf(value: PythonValue): readonly string[] {
  const name = isDict(value) ? value['name'] : value;
  return typeof name === 'string' && name !== '' ? [name] : [];
}
