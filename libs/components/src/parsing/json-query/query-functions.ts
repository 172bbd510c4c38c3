import { isDict } from '@millrace/flow';
import type { PythonValue } from '@millrace/python-text';
import { jsonType, numberOf } from './json-order';
import { contains, entryOf, flattened, groupedBy, keysOf, sorted, sortedBy } from './query-lists';
import type { Argument } from './query-lists';
import { sum } from './query-operators';
import { isFound, joinedText, jsonText, numberIn, parsedJson, shownText, splitText } from './query-texts';
import { amountOf, isTrue, itemsOf, lengthOf, listOf, objectOf, textOf } from './query-values';

/** Returns all results of a function for a value and its argument. */
type QueryFunction = (value: PythonValue, by: Argument) => readonly PythonValue[];

/** Functions without arguments that return one value. */
const simple: Readonly<Record<string, (value: PythonValue) => PythonValue>> = {
  add: (value) => sum(listOf(value)),
  all: (value) => listOf(value).every(isTrue),
  any: (value) => listOf(value).some(isTrue),
  ascii_downcase: (value) => textOf(value).replace(/[A-Z]+/g, (letters) => letters.toLowerCase()),
  ascii_upcase: (value) => textOf(value).replace(/[a-z]+/g, (letters) => letters.toUpperCase()),
  first: (value) => listOf(value)[0] ?? null,
  flatten: (value) => flattened(listOf(value)),
  floor: (value) => Math.floor(amountOf(value)),
  from_entries: (value) => Object.fromEntries(listOf(value).map(entryOf)),
  fromjson: (value) => parsedJson(textOf(value)),
  keys: keysOf,
  keys_unsorted: (value) => (isDict(value) ? Object.keys(value) : keysOf(value)),
  last: (value) => listOf(value).at(-1) ?? null,
  length: lengthOf,
  max: (value) => sorted(listOf(value)).at(-1) ?? null,
  min: (value) => sorted(listOf(value))[0] ?? null,
  not: (value) => !isTrue(value),
  reverse: (value) => [...listOf(value)].reverse(),
  sort: (value) => sorted(listOf(value)),
  to_entries: entriesOf,
  tojson: jsonText,
  tonumber: numberIn,
  tostring: shownText,
  type: jsonType,
  unique: (value) => firstOfGroups(listOf(value), (item) => [item]),
};

/** Functions that return one value for each value of their argument. */
const pairwise: Readonly<Record<string, (value: PythonValue, given: PythonValue) => PythonValue>> = {
  contains: (value, part) => contains(value, part),
  endswith: (value, end) => textOf(value).endsWith(textOf(end)),
  has: (value, key) =>
    Array.isArray(value)
      ? numberOf(key) >= 0 && numberOf(key) < value.length
      : Object.hasOwn(objectOf(value), textOf(key)),
  join: (value, separator) => joinedText(listOf(value), textOf(separator)),
  ltrimstr: (value, start) =>
    typeof value === 'string' && typeof start === 'string' && value.startsWith(start)
      ? value.slice(start.length)
      : value,
  rtrimstr: (value, end) =>
    typeof value === 'string' && typeof end === 'string' && value.endsWith(end)
      ? value.slice(0, value.length - end.length)
      : value,
  split: (value, separator) => splitText(textOf(value), textOf(separator)),
  startswith: (value, start) => textOf(value).startsWith(textOf(start)),
  test: (value, pattern) => isFound(pattern, value),
};

/** Functions whose argument is evaluated for each item. */
const itemwise: Readonly<Record<string, QueryFunction>> = {
  group_by: (value, by) => [groupedBy(listOf(value), by)],
  map: (value, by) => [itemsOf(value).flatMap(by)],
  map_values: (value, by) => [mappedValues(value, by)],
  max_by: (value, by) => [sortedBy(listOf(value), by).at(-1) ?? null],
  min_by: (value, by) => [sortedBy(listOf(value), by)[0] ?? null],
  select: (value, by) => by(value).flatMap((test) => (isTrue(test) ? [value] : [])),
  sort_by: (value, by) => [sortedBy(listOf(value), by)],
  unique_by: (value, by) => [firstOfGroups(listOf(value), by)],
  with_entries: (value, by) => [Object.fromEntries(entriesOf(value).flatMap(by).map(entryOf))],
};

/** The supported functions of jq, by name and number of arguments. */
export const queryFunctions: ReadonlyMap<string, QueryFunction> = new Map<string, QueryFunction>([
  ['empty/0', () => []],
  ['values/0', (value) => (value === null ? [] : [value])],
  ...Object.entries(simple).map(([name, run]): [string, QueryFunction] => [
    `${name}/0`,
    (value) => [run(value)],
  ]),
  ...Object.entries(pairwise).map(([name, run]): [string, QueryFunction] => [
    `${name}/1`,
    (value, by) => by(value).map((given) => run(value, given)),
  ]),
  ...Object.entries(itemwise).map(([name, run]): [string, QueryFunction] => [`${name}/1`, run]),
]);

function entriesOf(value: PythonValue): readonly PythonValue[] {
  return Object.entries(objectOf(value)).map(([key, member]) => ({ key, value: member }));
}

function firstOfGroups(items: readonly PythonValue[], by: Argument): readonly PythonValue[] {
  return groupedBy(items, by).map(([first = null]) => first);
}

function mappedValues(value: PythonValue, by: Argument): PythonValue {
  if (!isDict(value)) return listOf(value).flatMap((item) => by(item).slice(0, 1));
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) =>
      by(member)
        .slice(0, 1)
        .map((result) => [key, result]),
    ),
  );
}
