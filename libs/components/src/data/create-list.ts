import { defineComponent, listOf, text } from '@millrace/flow';
import { Data, DataFrame } from '@millrace/python-text';

export default defineComponent({
  type: 'CreateList',
  displayName: 'Create List',
  description: 'Creates a list of data from texts.',
  inputs: { texts: listOf(text({ displayName: 'Texts', plain: true })) },
  outputs: {
    list: { types: ['Data', 'JSON'], displayName: 'Data List' },
    dataframe: { types: ['DataFrame', 'Table'], displayName: 'DataFrame' },
  },
  deterministic: true,
  run: ({ texts }, context) => {
    const list = texts.map((item) => new Data({ text: item }));
    context.status(list);
    return {
      ...(context.wants('list') ? { list } : {}),
      ...(context.wants('dataframe') ? { dataframe: new DataFrame(list.map((item) => item.data)) } : {}),
    };
  },
});
