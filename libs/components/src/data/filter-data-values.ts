import { data, defineComponent, dropdown, listOf, text } from '@millrace/flow';
import { str } from '@millrace/python-text';

const tests: Readonly<Record<string, (value: string, compared: string) => boolean>> = {
  equals: (value, compared) => value === compared,
  'not equals': (value, compared) => value !== compared,
  contains: (value, compared) => value.includes(compared),
  'starts with': (value, compared) => value.startsWith(compared),
  'ends with': (value, compared) => value.endsWith(compared),
};

export default defineComponent({
  type: 'FilterDataValues',
  displayName: 'Filter Values',
  description: 'Keeps the items of a list in which a field matches a value.',
  inputs: {
    input_data: listOf(data({ displayName: 'Input Data' })),
    filter_key: text({
      displayName: 'Filter Key',
      default: 'route',
      inputTypes: ['Data', 'JSON'],
    }),
    filter_value: text({
      displayName: 'Filter Value',
      default: 'CMIP',
      inputTypes: ['Data', 'JSON'],
    }),
    operator: dropdown({
      displayName: 'Comparison Operator',
      options: Object.keys(tests),
      default: 'equals',
      advanced: true,
    }),
  },
  outputs: { filtered_data: { types: ['Data', 'JSON'], displayName: 'Filtered Data' } },
  deterministic: true,
  run: ({ input_data, filter_key, filter_value, operator }, context) => {
    const passes = Object.hasOwn(tests, operator) ? tests[operator] : undefined;
    const filtered =
      filter_key === '' || filter_value === ''
        ? input_data
        : input_data.filter(
            ({ data: fields }) =>
              Object.hasOwn(fields, filter_key) &&
              passes?.(str(fields[filter_key] ?? null), filter_value) === true,
          );
    context.status(filtered);
    return { filtered_data: filtered };
  },
});
