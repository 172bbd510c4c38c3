import { Data, Message, boolean, defineComponent, handle, messageData, str, text } from '@millrace/flow';
import type { PythonObject, PythonValue } from '@millrace/flow';

export default defineComponent({
  type: 'Notify',
  displayName: 'Notify',
  description: 'Tells a value to all Listen components of the same key.',
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
    notification: { types: ['Data', 'JSON'], displayName: 'What is heard', tool: false },
  },
  deterministic: true,
  run: ({ input_value, append }, context) => {
    const told = dataOf(input_value);
    context.status(told);
    return { result: told, notification: new Data({ append, told }) };
  },
});

function dataOf(value: PythonValue): Data {
  if (value instanceof Data) return value;
  if (value instanceof Message) return new Data(messageData(value) as unknown as PythonObject);
  return new Data({ text: value === null ? '' : str(value) });
}
