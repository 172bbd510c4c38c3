import { defineComponent, message } from '@millrace/flow';
import { Data, Message, messageMembers, nowWithMicroseconds, timestamp } from '@millrace/python-text';

export default defineComponent({
  type: 'MessagetoData',
  displayName: 'Message to Data',
  description: 'Converts a message to data with all its fields, not only its text.',
  inputs: { message: message({ displayName: 'Message' }) },
  outputs: { data: { types: ['Data', 'JSON'], displayName: 'Data' } },
  // The time of a text is that of the run.
  deterministic: false,
  run: ({ message: given }) => {
    const made = given ?? new Message({ text: '' });
    // A text of the node is a message that is made now.
    const time = made.fields.timestamp || timestamp(nowWithMicroseconds());
    return { data: new Data(messageMembers(made.with({ timestamp: time }))) };
  },
});
