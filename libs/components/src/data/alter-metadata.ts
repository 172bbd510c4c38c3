import { data, defineComponent, listOf, nestedDictionary, text } from '@millrace/flow';
import { checkCells, Data, DataFrame } from '@millrace/python-text';

export default defineComponent({
  type: 'AlterMetadata',
  displayName: 'Alter Metadata',
  description: 'Sets fields of data and removes others.',
  inputs: {
    input_value: listOf(data({ displayName: 'Input', inputTypes: ['Message', 'Data', 'JSON'] })),
    text_in: text({ displayName: 'User Text', plain: true }),
    metadata: nestedDictionary({ displayName: 'Metadata', required: true }),
    remove_fields: listOf(text({ displayName: 'Fields to Remove' })),
  },
  outputs: {
    data: { types: ['Data', 'JSON'], displayName: 'Data' },
    dataframe: { types: ['DataFrame', 'Table'], displayName: 'DataFrame' },
  },
  deterministic: true,
  run: ({ input_value, text_in, metadata, remove_fields }, context) => {
    const removed = new Set(remove_fields);
    const items = text_in === '' ? input_value : [new Data({ text: text_in }), ...input_value];
    checkCells(Object.keys(metadata).length, items.length);
    const altered = items.map((item) => {
      const fields = Object.entries({ ...item.data, ...metadata }).filter(([name]) => !removed.has(name));
      return new Data(Object.fromEntries(fields), item);
    });
    context.status(altered);
    return {
      ...(context.wants('data') ? { data: altered } : {}),
      ...(context.wants('dataframe') ? { dataframe: new DataFrame(altered.map((item) => item.data)) } : {}),
    };
  },
});
