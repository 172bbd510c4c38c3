import { data, defineComponent, dropdown, listOf, text } from '@millrace/flow';
import { str } from '@millrace/python-text';
import type { Data } from '@millrace/python-text';
import { compareTexts } from './compare-texts';

const affirmative: ReadonlySet<string> = new Set(['true', '1', 'yes', 'y', 'on']);

export default defineComponent({
  type: 'DataConditionalRouter',
  displayName: 'Condition',
  description: 'Routes data depending on a comparison of the value under a key with a text.',
  inputs: {
    data_input: listOf(data({ displayName: 'Data Input' })),
    key_name: text({ displayName: 'Key Name' }),
    operator: dropdown({
      displayName: 'Operator',
      options: ['equals', 'not equals', 'contains', 'starts with', 'ends with', 'boolean validator'],
      default: 'equals',
    }),
    compare_value: text({ displayName: 'Match Text' }),
  },
  outputs: {
    true_output: { types: ['Data', 'JSON'], displayName: 'True Output' },
    false_output: { types: ['Data', 'JSON'], displayName: 'False Output' },
  },
  deterministic: true,
  routes: true,
  run: ({ data_input, key_name, operator, compare_value }, context) => {
    const known = data_input.filter((item) => Object.hasOwn(item.data, key_name));
    const fits = (item: Data): boolean => {
      const value = str(item.data[key_name] ?? null);
      return operator === 'boolean validator'
        ? affirmative.has(value.toLowerCase())
        : compareTexts(operator, [value, compare_value], { caseSensitive: true });
    };
    const statusOf = (item: Data): string => {
      if (!Object.hasOwn(item.data, key_name)) return `Key '${key_name}' not found in Data`;
      const condition =
        operator === 'boolean validator'
          ? `Boolean validation of '${key_name}'`
          : `${key_name} ${operator} ${compare_value}`;
      return `Condition ${fits(item) ? 'met' : 'not met'}: ${condition}`;
    };
    const last = data_input.at(-1);
    if (last !== undefined) context.status(statusOf(last));
    const true_output = known.filter(fits);
    const false_output = known.filter((item) => !fits(item));
    if (true_output.length === 0) context.stop('true_output');
    else if (false_output.length === 0) context.stop('false_output');
    return { true_output, false_output };
  },
});
