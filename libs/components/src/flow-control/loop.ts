import { classText, ComponentError, defineComponent, handle, isDict } from '@millrace/flow';
import { Data, DataFrame, Message, str, tableRecords, tableRows } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';

export default defineComponent({
  type: 'LoopComponent',
  displayName: 'Loop',
  description: 'Passes on items one at a time and collects the results.',
  inputs: {
    data: handle({ displayName: 'Inputs', inputTypes: ['DataFrame', 'Table', 'Data', 'Message'] }),
  },
  outputs: {
    item: { types: ['Data', 'JSON'], displayName: 'Item', loops: true },
    done: { types: ['DataFrame', 'Table'], displayName: 'Done' },
  },
  deterministic: true,
  run: async ({ data }, context) => {
    const items = itemsOf(data);
    const output = context.wants('done') ? 'done' : 'item';
    context.stop('item');
    context.log(`Starting loop over ${items.length} item(s)`, { name: 'Start', output });
    if (items.length === 0) {
      context.log('No items to iterate, skipping loop body', { name: 'Skipped', output });
      return { item: new Data({ count: 0, items: [] }), done: new DataFrame([]) };
    }
    const started = performance.now();
    const outcomes = await context.repeat('item', items);
    const seconds = ((performance.now() - started) / 1000).toFixed(3);
    context.log(`Completed ${outcomes.length} iteration(s) in ${seconds}s`, { name: 'Complete', output });
    // The items are in the answer only where the output "item" is the one that runs the loop.
    const shown = output === 'item' ? items.map(({ data: item }) => item) : [];
    return {
      item: new Data({ count: shown.length, items: shown }),
      done: new DataFrame(outcomes.map(rowOf)),
    };
  },
});

function itemsOf(value: PythonValue): readonly Data[] {
  if (value instanceof DataFrame) return tableRows(value).map((row) => new Data(row));
  if (value instanceof Data) return [value];
  if (value instanceof Message) return [new Data({ text: value.text })];
  if (Array.isArray(value)) return (value as readonly PythonValue[]).flatMap(itemsOf);
  throw new ComponentError(
    `Data input must be a DataFrame, Data object, or list of Data objects, got ${classText(value)}`,
  );
}

/** Returns the result of an item as a row: data with its keys, other values as text. */
function rowOf(outcome: PythonValue): PythonObject {
  // A list input gets the item as a list of one, and its vertex may return such a list.
  if (Array.isArray(outcome) && outcome.length === 1)
    return rowOf((outcome as readonly PythonValue[])[0] ?? null);
  if (outcome instanceof Data) return outcome.data;
  if (isDict(outcome)) return outcome;
  if (outcome instanceof Message) return { text: outcome.text };
  if (outcome instanceof DataFrame) return { text: str(tableRecords(outcome)) };
  return { text: outcome === null ? '' : str(outcome) };
}
