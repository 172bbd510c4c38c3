import { data, defineComponent, handle, text } from '@millrace/flow';
import { Data } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';

const oneItem = data();

export default defineComponent({
  type: 'ExtractaKey',
  displayName: 'Extract Key',
  description: 'Extracts one field from data, or from each item of a list.',
  inputs: {
    data_input: handle({ displayName: 'Data Input', inputTypes: ['Data', 'JSON'] }),
    key: text({ displayName: 'Key to Extract', plain: true }),
  },
  outputs: { extracted_data: { types: ['Data', 'JSON'], displayName: 'Extracted Data' } },
  deterministic: true,
  run: ({ data_input, key }, context) => {
    if (Array.isArray(data_input)) {
      const items = data_input.flatMap((item: PythonValue) => fieldOf(item, key) ?? []);
      context.status(items);
      return { extracted_data: items };
    }
    const extracted = fieldOf(data_input, key);
    const error = `Key '${key}' not found in Data object.`;
    context.status(extracted ?? error);
    return { extracted_data: extracted ?? new Data({ error }) };
  },
});

function fieldOf(item: PythonValue, key: string): Data | null {
  const { data: fields } = oneItem.convert(item, 'data_input');
  return Object.hasOwn(fields, key) ? new Data({ [key]: fields[key] ?? null }) : null;
}
