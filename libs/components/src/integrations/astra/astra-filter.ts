import { isDict } from '@millrace/flow';
import type { PythonObject, PythonValue } from '@millrace/python-text';

/**
 * Converts a filter to the layout of the collection: names of metadata get the prefix `metadata.`, operators are kept.
 */
export function astraFilter(filter: PythonObject, flat: boolean): PythonObject {
  if (flat) return filter;
  return Object.fromEntries(
    Object.entries(filter).map(([name, value]) =>
      name.startsWith('$') ? [name, insideOperator(value)] : [pathOf(name), value],
    ),
  );
}

function insideOperator(value: PythonValue): PythonValue {
  if (Array.isArray(value)) return (value as readonly PythonValue[]).map(insideOperator);
  return isDict(value) ? astraFilter(value, false) : value;
}

function pathOf(name: string): string {
  return name === '_id' || name.startsWith('metadata.') ? name : `metadata.${name}`;
}
