import { boolean, defineComponent, dropdown, file, text } from '@millrace/flow';
import { Message } from '@millrace/python-text';

export default defineComponent({
  type: 'ChatInput',
  displayName: 'Chat Input',
  description: 'Provides the input of a run as a message.',
  inputs: {
    input_value: text({ displayName: 'Input Text', multiline: true, inputTypes: [] }),
    should_store_message: boolean({ displayName: 'Store Messages', default: true, advanced: true }),
    sender: dropdown({
      displayName: 'Sender Type',
      options: ['Machine', 'User'],
      default: 'User',
      advanced: true,
    }),
    sender_name: text({ displayName: 'Sender Name', default: 'User', advanced: true }),
    session_id: text({ displayName: 'Session ID', advanced: true }),
    context_id: text({ displayName: 'Context ID', advanced: true }),
    files: file({ displayName: 'Files', advanced: true }),
  },
  outputs: { message: { types: ['Message'], displayName: 'Chat Message' } },
  deterministic: true,
  storesMessages: true,
  run: (inputs, context) => {
    const message = new Message({
      text: inputs.input_value,
      sender: inputs.sender,
      senderName: inputs.sender_name,
      sessionId: inputs.session_id || context.run.sessionId,
      contextId: inputs.context_id,
      files: inputs.files,
    });
    if (!inputs.should_store_message || message.fields.sessionId === '') return { message };
    return context.sendMessage(message).then((stored) => ({ message: stored }));
  },
});
