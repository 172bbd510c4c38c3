import { defineComponent, handle, text } from '@millrace/flow';
import { connectedMemory } from './messages/chat-memory';
import { storeInSession } from './messages/store-in-session';

export default defineComponent({
  type: 'StoreMessage',
  displayName: 'Message Store',
  description: "Adds a text as a message to the run's session.",
  inputs: {
    message: text({ displayName: 'Message', required: true, tool: true }),
    memory: handle({ displayName: 'External Memory', inputTypes: ['Memory'] }),
    sender: text({ displayName: 'Sender', advanced: true }),
    sender_name: text({ displayName: 'Sender Name', advanced: true }),
    session_id: text({ displayName: 'Session ID', advanced: true }),
  },
  outputs: {
    stored_messages: { types: ['Message'], displayName: 'Stored Messages', method: 'store_message' },
  },
  deterministic: false,
  storesMessages: true,
  run: async (inputs, context) => {
    const { message, sender, sender_name, session_id } = inputs;
    return {
      stored_messages: await storeInSession(
        { text: message, sender, senderName: sender_name, sessionId: session_id, contextId: '' },
        connectedMemory(inputs.memory),
        context,
      ),
    };
  },
});
