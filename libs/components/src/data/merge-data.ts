import { data, defineComponent, dropdown, listOf } from '@millrace/flow';
import { checkCells, Data, DataFrame } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';

const operations: Readonly<Record<string, (items: readonly PythonObject[]) => readonly PythonObject[]>> = {
  Concatenate: (items) => [merged(items, (first, second) => `${first}\n${second}`)],
  Append: (items) => items,
  Merge: (items) => [merged(items, (first, second) => [first, second])],
  Join: (items) => [joined(items)],
};

export default defineComponent({
  type: 'MergeDataComponent',
  displayName: 'Combine Data',
  description: 'Combines several data into a table: one row for all items, or one row for each.',
  inputs: {
    data_inputs: listOf(data({ displayName: 'Data Inputs', required: true })),
    operation: dropdown({
      displayName: 'Operation',
      options: Object.keys(operations),
      default: 'Concatenate',
    }),
  },
  outputs: {
    combined_data: { types: ['DataFrame', 'Table'], displayName: 'DataFrame' },
    merged_data: { types: ['Data', 'JSON'], displayName: 'Data of earlier versions', tool: false },
  },
  deterministic: true,
  run: ({ data_inputs, operation }, context) => {
    const combine = Object.hasOwn(operations, operation) ? operations[operation] : undefined;
    const items = data_inputs.map((item) => item.data);
    if (!context.wants('combined_data')) {
      const merged_data = completed(items).map((item) => new Data(item));
      context.status(merged_data);
      return { merged_data };
    }
    const combined = new DataFrame(items.length < 2 || combine === undefined ? [] : combine(items));
    context.status(combined);
    return { combined_data: combined };
  },
});

/** Returns each object with the names of all objects; missing values are empty texts. */
function completed(items: readonly PythonObject[]): readonly PythonObject[] {
  const names = [...new Set(items.flatMap((item) => Object.keys(item)))];
  checkCells(names.length, items.length);
  return items.map((item) =>
    Object.fromEntries(names.map((name) => [name, Object.hasOwn(item, name) ? (item[name] ?? null) : ''])),
  );
}

/** Returns one object with the members of all. Texts of one name are joined; of other values the last one is kept. */
function merged(
  items: readonly PythonObject[],
  join: (first: string, second: string) => PythonValue,
): PythonObject {
  const result = new Map<string, PythonValue>();
  const lists = new Map<string, PythonValue[]>();
  for (const [name, value] of items.flatMap((item) => Object.entries(item))) {
    const before = result.get(name);
    if (typeof value !== 'string') result.set(name, value);
    else if (typeof before === 'string') result.set(name, join(before, value));
    else if (Array.isArray(before)) {
      let list = lists.get(name);
      if (list !== before) {
        list = [...(before as readonly PythonValue[])];
        lists.set(name, list);
        result.set(name, list);
      }
      list.push(value);
    } else result.set(name, value);
  }
  return Object.fromEntries(result);
}

/** Returns one object with the members of all; names get a numbered suffix from the second object on. */
function joined(items: readonly PythonObject[]): PythonObject {
  return Object.fromEntries(
    items.flatMap((item, index) =>
      Object.entries(item).map(([name, value]) => [index === 0 ? name : `${name}_doc${index + 1}`, value]),
    ),
  );
}
