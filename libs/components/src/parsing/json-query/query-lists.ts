import { isDict } from '@millrace/flow';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { compareJson, sortedKeys } from './json-order';
import { checkSize } from './query-error';
import { listOf, objectOf, textOf } from './query-values';

/** An argument: an expression that returns any number of values for a value. */
export type Argument = (value: PythonValue) => readonly PythonValue[];

/** Returns a list in jq's order; equal items keep their order. */
export function sorted(items: readonly PythonValue[]): readonly PythonValue[] {
  return [...items].sort(compareJson);
}

/** Returns a list ordered by the values of an argument for each item. */
export function sortedBy(items: readonly PythonValue[], by: Argument): readonly PythonValue[] {
  return keyed(items, by).map(({ item }) => item);
}

/** Groups items by the values of an argument; the groups are ordered by these values. */
export function groupedBy(items: readonly PythonValue[], by: Argument): readonly (readonly PythonValue[])[] {
  const groups: PythonValue[][] = [];
  let last: PythonValue | undefined;
  for (const { item, key } of keyed(items, by)) {
    const group = groups.at(-1);
    if (group !== undefined && last !== undefined && compareJson(last, key) === 0) group.push(item);
    else groups.push([item]);
    last = key;
  }
  return groups;
}

function keyed(
  items: readonly PythonValue[],
  by: Argument,
): readonly { readonly item: PythonValue; readonly key: PythonValue }[] {
  return items.map((item) => ({ item, key: by(item) })).sort((one, other) => compareJson(one.key, other.key));
}

/** Returns the items of all nested lists. */
export function flattened(items: readonly PythonValue[]): readonly PythonValue[] {
  return items.flatMap((item) => (Array.isArray(item) ? flattened(item) : [item]));
}

/** Returns the key and the value of an entry `{key, value}`; `k`, `name` and `v` are accepted too. */
export function entryOf(entry: PythonValue): readonly [string, PythonValue] {
  const { key, k, name, value, v } = objectOf(entry);
  return [textOf(key ?? k ?? name ?? null), value ?? v ?? null];
}

/** jq's `keys`: the keys of an object in order, or the indexes of a list. */
export function keysOf(value: PythonValue): readonly PythonValue[] {
  return Array.isArray(value) ? listOf(value).map((_, position) => position) : sortedKeys(objectOf(value));
}

/** jq's `contains`: whether `part` is a part of the text, list or object, at any depth. */
export function contains(
  value: PythonValue,
  part: PythonValue,
  compared: { count: number } = { count: 0 },
): boolean {
  compared.count += 1;
  checkSize(compared.count);
  if (typeof value === 'string' && typeof part === 'string') return value.includes(part);
  if (Array.isArray(value) && Array.isArray(part)) {
    return part.every((wanted: PythonValue) =>
      value.some((item: PythonValue) => contains(item, wanted, compared)),
    );
  }
  if (isDict(value) && isDict(part)) return containsMembers(value, part, compared);
  return compareJson(value, part) === 0;
}

function containsMembers(value: PythonObject, part: PythonObject, compared: { count: number }): boolean {
  return Object.entries(part).every(
    ([name, wanted]) => Object.hasOwn(value, name) && contains(value[name] ?? null, wanted, compared),
  );
}
