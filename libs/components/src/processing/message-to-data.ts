import { defineComponent, message } from '@millrace/flow';
import { Data, Message, messageMembers } from '@millrace/python-text';

export default defineComponent({
  type: 'MessagetoData',
  displayName: 'Message to Data',
  description: 'Converts a message to data with all its fields, not only its text.',
  inputs: { message: message({ displayName: 'Message' }) },
  outputs: { data: { types: ['Data', 'JSON'], displayName: 'Data' } },
  deterministic: true,
  run: ({ message: given }) => ({ data: new Data(messageMembers(given ?? new Message({ text: '' }))) }),
});
