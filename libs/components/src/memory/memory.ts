import { dataToText, defineComponent, dropdown, handle, integer, tab, text } from '@millrace/flow';
import type { ComponentContext, ComponentOutputs, InputValues } from '@millrace/flow';
import { Data, DataFrame, Message, messageData } from '@millrace/python-text';
import type { PythonObject } from '@millrace/python-text';
import { connectedMemory } from './messages/chat-memory';
import type { ChatMemory } from './messages/chat-memory';
import { rowMembers, storeInSession } from './messages/store-in-session';

const inputs = {
  mode: tab({ displayName: 'Mode', options: ['Retrieve', 'Store'], default: 'Retrieve' }),
  message: text({ displayName: 'Message', tool: true }),
  memory: handle({ displayName: 'External Memory', inputTypes: ['Memory'], advanced: true }),
  sender_type: dropdown({
    displayName: 'Sender Type',
    options: ['Machine', 'User', 'Machine and User'],
    default: 'Machine and User',
    advanced: true,
  }),
  sender: text({ displayName: 'Sender', advanced: true }),
  sender_name: text({ displayName: 'Sender Name', advanced: true }),
  n_messages: integer({ displayName: 'Number of Messages', default: 100, advanced: true }),
  session_id: text({ displayName: 'Session ID', advanced: true }),
  context_id: text({ displayName: 'Context ID', advanced: true }),
  order: dropdown({
    displayName: 'Order',
    options: ['Ascending', 'Descending'],
    default: 'Ascending',
    required: true,
    advanced: true,
    tool: true,
  }),
  template: text({
    displayName: 'Template',
    multiline: true,
    default: '{sender_name}: {text}',
    advanced: true,
  }),
};

type Values = InputValues<typeof inputs>;

export default defineComponent({
  type: 'Memory',
  displayName: 'Message History',
  description: "Reads the messages of the run's session, or adds a message to it.",
  inputs,
  outputs: {
    messages_text: {
      types: ['Message'],
      displayName: 'Message',
      method: 'retrieve_messages_as_text',
    },
    dataframe: {
      types: ['DataFrame', 'Table'],
      displayName: 'Table',
      method: 'retrieve_messages_dataframe',
    },
    messages: { types: ['Data'], displayName: 'Data', method: 'retrieve_messages', tool: 'named' },
    stored_messages: {
      types: ['Message'],
      displayName: 'Stored Messages',
      method: 'store_message',
      tool: 'named',
    },
  },
  deterministic: false,
  readsSession: true,
  storesMessages: true,
  reusable: true,
  run: async (values, context) =>
    values.mode === 'Store' && context.wants('stored_messages')
      ? store(values, context)
      : retrieve(values, context),
});

async function store(values: Values, context: ComponentContext): Promise<ComponentOutputs> {
  const { message, sender, sender_name, session_id, context_id } = values;
  return {
    stored_messages: await storeInSession(
      { text: message, sender, senderName: sender_name, sessionId: session_id, contextId: context_id },
      connectedMemory(values.memory),
      context,
    ),
  };
}

async function retrieve(values: Values, context: ComponentContext): Promise<ComponentOutputs> {
  const row = connectedMemory(values.memory) === null ? rowMembers(context) : {};
  const items = (await messages(values, context)).map(
    (message) => new Data({ ...(messageData(message) as unknown as PythonObject), ...row }),
  );
  return {
    messages_text: new Message({ text: dataToText(values.template, items) }),
    dataframe: new DataFrame(items.map(({ data }) => data)),
    messages: items,
  };
}

async function messages(values: Values, context: ComponentContext): Promise<readonly Message[]> {
  if (values.n_messages <= 0) return [];
  const sender = senderOf(values, context);
  const sessionId = values.session_id || context.run.sessionId;
  const memory = connectedMemory(values.memory);
  if (memory !== null) return readExternalMemory(memory, sessionId, sender, values, context);
  return context.readMessages({
    sessionId,
    limit: values.n_messages,
    order: values.order === 'Descending' ? 'descending' : 'ascending',
    ...(sender === 'Machine and User' || sender === '' ? {} : { sender }),
    ...(values.sender_name === '' ? {} : { senderName: values.sender_name }),
    ...(values.context_id === '' ? {} : { contextId: values.context_id }),
  });
}

/**
 * Returns the newest messages of an external memory, which distinguishes users and machines but has no sender names.
 */
async function readExternalMemory(
  memory: ChatMemory,
  sessionId: string,
  sender: string,
  { n_messages: count, order }: Values,
  context: ComponentContext,
): Promise<readonly Message[]> {
  const newest = (await memory.read(sessionId, context)).slice(-count);
  const found = newest.filter(
    ({ fields }) => !['Machine', 'User'].includes(sender) || fields.sender === sender,
  );
  return order === 'Descending' ? found.reverse() : found;
}

/** Nodes saved before the two modes use the field `sender` to choose whose messages to read. */
function senderOf(values: Values, { fields }: ComponentContext): string {
  return 'sender_type' in fields || values.sender === '' ? values.sender_type : values.sender;
}
