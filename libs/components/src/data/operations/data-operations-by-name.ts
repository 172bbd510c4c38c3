import { ComponentError, isDict } from '@millrace/flow';
import { repr, literalEval } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import type { DataOperationSettings } from './data-operation-inputs';
import { queryData, selectPath } from './query-data';

/** An operation on the objects of the items; only Combine accepts more than one item. */
export type DataOperation = (items: readonly PythonObject[], settings: DataOperationSettings) => PythonObject;

/** The same list can be in many items. */
const maximumItems = 4_000_000;

/** The operations on data, by the names in flow files. */
export const dataOperations: Readonly<Record<string, DataOperation>> = {
  'Select Keys': ([item = {}], { select_keys_input }) => selected(item, select_keys_input),
  'Literal Eval': ([item = {}]) => objectOf(evaluateLiterals(item)),
  Combine: (items) => combined(items),
  'Append or Update': ([item = {}], { append_update_data }) => ({ ...item, ...append_update_data }),
  'Remove Keys': ([item = {}], { remove_keys_input }) =>
    objectOf(withoutKeys(item, new Set(remove_keys_input))),
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
  const kept = new Set(keys);
  // In the order of the data.
  return Object.fromEntries(Object.entries(item).filter(([key]) => kept.has(key)));
}

function withoutKeys(item: PythonObject, removed: ReadonlySet<string>): PythonValue {
  return changeKeys(item, (key) => (removed.has(key) ? null : key));
}

/** Returns one object with the members of all; several values of one name become a list. */
function combined(items: readonly PythonObject[]): PythonObject {
  const single = new Map<string, PythonValue>();
  const lists = new Map<string, PythonValue[]>();
  let count = 0;
  for (const [name, value] of items.flatMap((item) => Object.entries(item))) {
    const before = single.get(name);
    if (before === undefined) {
      single.set(name, value);
      continue;
    }
    const list = lists.get(name) ?? [...listOf(before)];
    lists.set(name, list);
    count += listOf(value).length;
    if (count > maximumItems)
      throw new ComponentError(`The combined lists have more than ${maximumItems} items.`);
    for (const one of listOf(value)) list.push(one);
  }
  return Object.fromEntries([...single, ...lists]);
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

/**
 * Returns a value in which every key, at any depth, is replaced by the result of `change`; null removes the key and its
 * value.
 */
function changeKeys(value: PythonValue, change: (key: string) => string | null): PythonValue {
  if (Array.isArray(value)) return value.map((item: PythonValue) => changeKeys(item, change));
  if (!isDict(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]): [string, PythonValue][] => {
      const changed = change(key);
      return changed === null ? [] : [[changed, changeKeys(member, change)]];
    }),
  );
}

/** Returns a value in which every text that is a Python literal, at any depth, is replaced by the literal's value. */
function evaluateLiterals(value: PythonValue): PythonValue {
  if (typeof value === 'string') {
    const literal = literalEval(value);
    return literal === undefined ? value : literal;
  }
  if (Array.isArray(value)) return value.map((item: PythonValue) => evaluateLiterals(item));
  if (!isDict(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, evaluateLiterals(member)]));
}
