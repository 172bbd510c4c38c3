import { classText, data, defineComponent, listOf, typeErrorOf } from '@millrace/flow';
import { DataFrame } from '@millrace/python-text';

export default defineComponent({
  type: 'DataToDataFrame',
  displayName: 'Data → DataFrame',
  description: 'Converts data to a table, one row for each item.',
  inputs: {
    data_list: listOf(
      data({
        displayName: 'Data or Data List',
        refusal: (value) => `Expected Data objects, got ${classText(value)} instead.`,
      }),
    ),
  },
  outputs: { dataframe: { types: ['DataFrame', 'Table'], displayName: 'DataFrame' } },
  deterministic: true,
  run: ({ data_list }, context) => {
    // Without an edge there is no list.
    if (data_list.length === 0 && context.source('data_list') === null)
      throw typeErrorOf('build_dataframe', `Expected Data objects, got ${classText(null)} instead.`);
    const table = new DataFrame(
      data_list.map((item) => (item.text ? { ...item.data, text: item.text } : item.data)),
    );
    context.status(table);
    return { dataframe: table };
  },
});
