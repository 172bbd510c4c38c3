import { ComponentError, isDict, repr } from '@millrace/flow';
import type { PythonObject, PythonValue } from '@millrace/flow';
import { changeKeys } from './change-keys';
import type { DataOperationSettings } from './data-operation-inputs';
import { evaluateLiterals } from './evaluate-literals';
import { queryData, selectPath } from './query-data';

/** What one operation makes of the objects of all items; only Combine takes more than one. */
export type DataOperation = (items: readonly PythonObject[], settings: DataOperationSettings) => PythonObject;

/** The operations on data, by the names that flows save. */
export const dataOperations: Readonly<Record<string, DataOperation>> = {
  'Select Keys': ([item = {}], { select_keys_input }) => selected(item, select_keys_input),
  'Literal Eval': ([item = {}]) => objectOf(evaluateLiterals(item)),
  Combine: (items) => combined(items),
  'Append or Update': ([item = {}], { append_update_data }) => ({ ...item, ...append_update_data }),
  'Remove Keys': ([item = {}], { remove_keys_input }) =>
    objectOf(changeKeys(item, (key) => (remove_keys_input.includes(key) ? null : key))),
  'Rename Keys': ([item = {}], { rename_keys_input }) =>
    objectOf(changeKeys(item, (key) => renamed(rename_keys_input, key))),
  'Path Selection': ([item = {}], { selected_key }) => selectPath(item, selected_key),
  'JQ Expression': ([item = {}], { query }) => queryData(item, query),
};

function selected(item: PythonObject, keys: readonly string[]): PythonObject {
  const [only] = keys;
  const inner = item['data'];
  if (keys.length === 1 && only === 'data' && inner !== undefined && isDict(inner)) return inner;
  if (!keys.every((key) => Object.hasOwn(item, key))) {
    throw new ComponentError(`Select key not found in data. Available keys: ${repr(Object.keys(item))}`);
  }
  return Object.fromEntries(keys.map((key) => [key, item[key] ?? null]));
}

/** One object with the members of all; the values of a name that several have become a list. */
function combined(items: readonly PythonObject[]): PythonObject {
  const result = new Map<string, PythonValue>();
  for (const [name, value] of items.flatMap((item) => Object.entries(item))) {
    const before = result.get(name);
    result.set(name, before === undefined ? value : [...listOf(before), ...listOf(value)]);
  }
  return Object.fromEntries(result);
}

function listOf(value: PythonValue): readonly PythonValue[] {
  return Array.isArray(value) ? value : [value];
}

function renamed(names: PythonObject, key: string): string {
  const name = Object.hasOwn(names, key) ? names[key] : undefined;
  return typeof name === 'string' ? name : key;
}

function objectOf(value: PythonValue): PythonObject {
  return isDict(value) ? value : {};
}
