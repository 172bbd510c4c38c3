import { boolean, defineComponent, text } from '@millrace/flow';
import { Message } from '@millrace/python-text';

export default defineComponent({
  type: 'TextInput',
  aliases: ['TextInputComponent'],
  displayName: 'Text Input',
  description: 'Provides a fixed text, or the input of a run whose input type is text.',
  inputs: {
    input_value: text({ displayName: 'Text', multiline: true }),
    use_global_variable: boolean({ displayName: 'Use Global Variable', advanced: true }),
  },
  outputs: { text: { types: ['Message'], displayName: 'Output Text' } },
  deterministic: true,
  run: ({ input_value }) => ({ text: new Message({ text: input_value }) }),
});
