import { ComponentError, data, defineComponent, integer, listOf } from '@millrace/flow';

export default defineComponent({
  type: 'SelectData',
  displayName: 'Select Data',
  description: 'Selects one item of a list of data.',
  inputs: {
    data_list: listOf(data({ displayName: 'Data List' })),
    data_index: integer({ displayName: 'Data Index', default: 0 }),
  },
  outputs: { selected_data: { types: ['Data', 'JSON'], displayName: 'Selected Data' } },
  deterministic: true,
  run: ({ data_list, data_index }, context) => {
    const selected = data_index < 0 ? undefined : data_list[data_index];
    if (selected === undefined) throw new ComponentError(`Selected index ${data_index} is out of range.`);
    context.status(selected);
    return { selected_data: selected };
  },
});
