import type {
  ComponentContext,
  ComponentOutputs,
  ConnectedVertex,
  InputValues,
  SafeConvertOptions,
} from '@millrace/flow';
import {
  boolean,
  ComponentError,
  defineComponent,
  dropdown,
  handle,
  safeConvert,
  text,
} from '@millrace/flow';
import { Data, DataFrame, Message, typeName } from '@millrace/python-text';
import type { MessageProperties, MessageSource, PythonObject, PythonValue } from '@millrace/python-text';

const inputs = {
  input_value: handle({
    displayName: 'Inputs',
    required: true,
    inputTypes: ['Data', 'JSON', 'DataFrame', 'Table', 'Message'],
  }),
  should_store_message: boolean({ displayName: 'Store Messages', default: true, advanced: true }),
  sender: dropdown({
    displayName: 'Sender Type',
    options: ['Machine', 'User'],
    default: 'Machine',
    advanced: true,
  }),
  sender_name: text({ displayName: 'Sender Name', default: 'AI', advanced: true }),
  session_id: text({ displayName: 'Session ID', advanced: true }),
  context_id: text({ displayName: 'Context ID', advanced: true }),
  data_template: text({ displayName: 'Data Template', default: '{text}', advanced: true }),
  clean_data: boolean({ displayName: 'Basic Clean Data', default: true, advanced: true }),
};

export default defineComponent({
  type: 'ChatOutput',
  displayName: 'Chat Output',
  description: 'Returns a message, data or a table as a message of the conversation.',
  inputs,
  outputs: { message: { types: ['Message'], displayName: 'Output Message' } },
  deterministic: true,
  storesMessages: true,
  takesStreams: true,
  run: (values, context) => {
    const stores = values.should_store_message && !isStoringOff(context);
    const { input_value: given } = values;
    return isSpoken(given, stores) || isOfAgent(given, stores, context)
      ? context.speakMessage(given, !stores).then((spoken) => send(values, spoken, stores, context))
      : send(values, given, stores, context);
  },
});

/** Sends what the vertex gets as a message of the conversation, or returns it alone when messages are not stored. */
function send(
  values: InputValues<typeof inputs>,
  incoming: PythonValue,
  stores: boolean,
  context: ComponentContext,
): ComponentOutputs | Promise<ComponentOutputs> {
  const shown = shownMessage(incoming, values.clean_data, stores, context);
  const message = shown.with({
    sender: values.sender,
    senderName: values.sender_name,
    sessionId: values.session_id || shown.fields.sessionId || context.run.sessionId,
    contextId: values.context_id,
    flowId: context.run.flowId,
    properties: { ...shown.fields.properties, source: sourceOf(context) },
  });
  if (stores && message.fields.sessionId !== '')
    return context.sendMessage(message.with({ id: idOf(incoming) })).then((stored) => ({ message: stored }));
  const counted = message.fields.stream === null ? context.withUsageBefore(message) : message;
  return { message: withStoredProperties(counted, incoming) };
}

/** The nested data of a message that another vertex stored, and this one shows, are as they were stored. */
function withStoredProperties(message: Message, incoming: PythonValue): Message {
  if (message.fields.id === null || !(incoming instanceof Message)) return message;
  const { properties, extra } = incoming.fields;
  return message.with({ extra: { ...extra, properties: properties as MessageProperties & PythonObject } });
}

/** A model begins its streamed message before the chat output sends it. */
function isSpoken(value: PythonValue, stores: boolean): value is Message {
  return (
    value instanceof Message &&
    value.fields.stream !== null &&
    (!stores || value.fields.properties.source.id !== null)
  );
}

const agents: ReadonlySet<string> = new Set(['Agent', 'SQLAgent', 'ToolCallingAgent']);

/** An agent sends the message that it streams, and any message where the chat output stores nothing. */
function isOfAgent(value: PythonValue, stores: boolean, context: ComponentContext): value is Message {
  return (
    value instanceof Message &&
    (!stores || value.fields.stream !== null) &&
    agents.has(context.source('input_value')?.type ?? '')
  );
}

/**
 * Returns the message to show: the incoming one, without its stored id where it is stored anew, or a new one if it is from a
 * chat input.
 */
function shownMessage(
  incoming: PythonValue,
  cleanData: boolean,
  stores: boolean,
  context: ComponentContext,
): Message {
  const wholeText = textOf(incoming, { cleanData, langflow: context.langflow });
  if (!(incoming instanceof Message)) return new Message({ text: wholeText });
  const { stream } = incoming.fields;
  if (context.source('input_value')?.type === 'ChatInput') return new Message({ text: wholeText, stream });
  return stores
    ? incoming.with({ text: wholeText, id: null, runId: null, sessionMetadata: null })
    : incoming.with({ text: wholeText });
}

/** The id of a partial message, under which the whole one is sent. The engine replaces ids of other messages. */
function idOf(incoming: PythonValue): string | null {
  return incoming instanceof Message ? incoming.fields.id : null;
}

function textOf(value: PythonValue, options: SafeConvertOptions): string {
  if (value === null) throw new ComponentError('Input data cannot be None');
  if (Array.isArray(value)) {
    const items: readonly PythonValue[] = value;
    if (!items.every(isShowable)) {
      const names = items.filter((item) => !isShowable(item)).map(typeName);
      throw new ComponentError(`Expected Data or DataFrame or Message or str, got [${quoted(names)}]`);
    }
    return items.map((item) => safeConvert(item, options)).join('\n');
  }
  const { langflow } = options;
  // Langflow 1.11 cleans only the items of a list.
  if (isShowable(value)) return safeConvert(value, langflow === '1.11' ? { langflow } : options);
  throw new ComponentError(
    `Expected Data or DataFrame or Message or str, Generator or None, got ${typeName(value)}`,
  );
}

function isShowable(value: PythonValue): boolean {
  return (
    typeof value === 'string' ||
    value instanceof Message ||
    value instanceof Data ||
    value instanceof DataFrame
  );
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(', ');
}

function sourceOf(context: ComponentContext): MessageSource {
  const source = context.firstSource();
  if (source === null) return { id: null, display_name: null, source: null };
  const name = classNameOf(source);
  return { id: source.id, display_name: name, source: source.modelName ?? name };
}

/** Names of components in earlier releases of Langflow; nodes of these releases still have them. */
const formerNames: ReadonlySet<string> = new Set([
  'AIML API',
  'Astra DB',
  'Calculator',
  'Chat Memory',
  'DataFrame Operations',
  'File',
  'HuggingFace',
  'HuggingFace Embeddings',
  'HuggingFace Embeddings Inference',
  'Parse Data',
  'Prompt',
  'Save File',
  'Search API',
  'Store Message',
  'Tavily AI Search',
  'Yahoo Finance',
]);

/** Returns the name of a vertex's component in the release of the node, and not the one that its author gave the node. */
function classNameOf({ displayName, componentName }: ConnectedVertex): string {
  return formerNames.has(displayName) ? displayName : componentName;
}

/** In a few old flows the setting is named `store_message`. */
function isStoringOff({ fields }: ComponentContext): boolean {
  return fields['should_store_message'] === undefined && fields['store_message'] === false;
}
