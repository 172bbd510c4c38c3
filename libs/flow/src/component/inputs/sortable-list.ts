import type { PythonValue } from '@millrace/python-text';
import type { Input } from '../input';
import type { InputOptions } from './input-options';
import { commonInputMembers } from './input-options';
import { isDict } from './python-dict';

export interface SortableListOptions extends InputOptions {
  readonly options: readonly string[];
}

/**
 * The names of the selected options, in their order. Other names are accepted too; older files contain a single name as
 * text.
 */
export function sortableList(options: SortableListOptions): Input<readonly string[]> {
  return {
    ...commonInputMembers(options),
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
