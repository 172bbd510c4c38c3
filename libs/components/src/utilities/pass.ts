import { defineComponent, message } from '@millrace/flow';
import { Message } from '@millrace/python-text';

export default defineComponent({
  type: 'Pass',
  displayName: 'Pass',
  description: 'Passes on its first message; the second input only delays it.',
  inputs: {
    input_message: message({ displayName: 'Input Message', required: true }),
    ignored_message: message({ displayName: 'Ignored Message', advanced: true }),
  },
  outputs: { output_message: { types: ['Message'], displayName: 'Output Message' } },
  deterministic: true,
  run: ({ input_message }, context) => {
    const passed = input_message ?? new Message({ text: '' });
    context.status(passed);
    return { output_message: passed };
  },
});
