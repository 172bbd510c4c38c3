import { boolean, defineComponent, handle, text } from '@millrace/flow';
import { Data, Message, str } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';

export default defineComponent({
  type: 'Notify',
  displayName: 'Notify',
  description: 'Sends a value to all Listen components with the same key.',
  inputs: {
    context_key: text({ displayName: 'Context Key', plain: true, required: true }),
    input_value: handle({
      displayName: 'Input Data',
      inputTypes: ['Data', 'JSON', 'Message', 'DataFrame', 'Table'],
    }),
    append: boolean({ displayName: 'Append' }),
  },
  outputs: {
    result: { types: ['Data', 'JSON'], displayName: 'Data', method: 'notify_components' },
    notification: { types: ['Data', 'JSON'], displayName: 'Notification', tool: false },
  },
  deterministic: true,
  run: ({ input_value, append }, context) => {
    const value = dataOf(input_value);
    context.status(value);
    return { result: value, notification: new Data({ append, value }) };
  },
});

function dataOf(value: PythonValue): Data | Message {
  if (value instanceof Data || value instanceof Message) return value;
  return new Data({ text: value === null ? '' : str(value) });
}
