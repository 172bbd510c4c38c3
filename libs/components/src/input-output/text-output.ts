import { defineComponent, text } from '@millrace/flow';
import { Message } from '@millrace/python-text';

export default defineComponent({
  type: 'TextOutput',
  displayName: 'Text Output',
  description: 'Returns a text to the caller without storing it in the conversation.',
  inputs: { input_value: text({ displayName: 'Inputs', multiline: true }) },
  outputs: { text: { types: ['Message'], displayName: 'Output Text' } },
  deterministic: true,
  run: ({ input_value }, context) => {
    context.status(input_value);
    return { text: new Message({ text: input_value }) };
  },
});
