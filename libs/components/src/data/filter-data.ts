import { data, defineComponent, listOf, text } from '@millrace/flow';
import { Data } from '@millrace/python-text';

export default defineComponent({
  type: 'FilterData',
  displayName: 'Filter Data',
  description: 'Keeps only the listed fields of data.',
  inputs: {
    data: data({ displayName: 'Data' }),
    filter_criteria: listOf(text({ displayName: 'Filter Criteria' })),
  },
  outputs: { filtered_data: { types: ['Data', 'JSON'], displayName: 'Filtered Data' } },
  deterministic: true,
  run: ({ data: { data: fields }, filter_criteria }, context) => {
    const kept = new Set(filter_criteria);
    const filtered = new Data(Object.fromEntries(Object.entries(fields).filter(([name]) => kept.has(name))));
    context.status(filtered);
    return { filtered_data: filtered };
  },
});
