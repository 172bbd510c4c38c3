import { defineComponent, message } from '@millrace/flow';
import { Data, messageMembers } from '@millrace/python-text';

export default defineComponent({
  type: 'MessagetoData',
  displayName: 'Message to Data',
  description: 'Converts a message to data with all its fields, not only its text.',
  inputs: { message: message({ displayName: 'Message' }) },
  outputs: { data: { types: ['Data', 'JSON'], displayName: 'Data' } },
  deterministic: true,
  run: (inputs, context) => {
    if (inputs.message !== null) {
      return { data: new Data(messageMembers(inputs.message)) };
    }
    const error = 'Error converting Message to Data: Input must be a Message object';
    context.log(error, { name: 'Error' });
    context.status(error);
    return { data: new Data({ error }) };
  },
});
