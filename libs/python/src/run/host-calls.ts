import { chatModelOf, completeChat, connectedMemory, embedTexts, streamChat } from '@millrace/components';
import type { ChatAnswer, ChatMessage, ChatModel, ChatOptions } from '@millrace/components';
import {
  ComponentError,
  isEmbeddingsHandle,
  isModelHandle,
  isRetrieverHandle,
  isToolHandle,
  observeStep,
} from '@millrace/flow';
import { Message } from '@millrace/python-text';
import type { ComponentContext, MessageQuery } from '@millrace/flow';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { integerOf, listOf, memberOf, objectOf, plainOf, textOf, textsOf } from '../frames/members';
import type { HostCall } from '../process/requests';
import { decodeValue } from '../values/decode-value';
import { encodeValue } from '../values/encode-value';
import type { HostObject, LiveObjects } from '../values/live-objects';
import { readFilePart } from './vertex-files';

const maximumMessages = 10_000;

type Method = (call: HostCall, context: ComponentContext, objects: LiveObjects) => Promise<PythonValue>;

/**
 * Answers a call that a component in Python makes, with the rights of its vertex. Rejects with the error for the
 * component.
 */
export async function answerHostCall(
  call: HostCall,
  context: ComponentContext,
  objects: LiveObjects,
): Promise<PythonValue> {
  const method = methods.get(call.method);
  if (method === undefined) throw new ComponentError(`There is no method "${call.method}".`);
  return method(call, context, objects);
}

const methods: ReadonlyMap<string, Method> = new Map(
  Object.entries({
    'model.generate': async ({ args }, context, objects) => {
      const { messages, options } = chatRequest(args);
      return answerFrame(await completeChat(chatModel(args, objects), messages, context, options));
    },
    'model.stream': async ({ args, chunk }, context, objects) => {
      const { messages, options } = chatRequest(args);
      const answering = streamChat(chatModel(args, objects), messages, context, options);
      for (;;) {
        const next = await answering.next();
        if (next.done === true) return answerFrame(next.value);
        chunk(next.value);
      }
    },
    embed: async ({ args }, context, objects) => {
      const handle = hostObject(args, objects);
      if (!isEmbeddingsHandle(handle)) throw wrongObject('an embedding model');
      const purpose = textOf(args, 'purpose') === 'query' ? 'query' : 'document';
      return embedTexts(handle, textsOf(args, 'texts'), context, purpose);
    },
    'tool.call': async ({ args }, context, objects) => {
      const tool = hostObject(args, objects);
      if (!isToolHandle(tool)) throw wrongObject('a tool');
      const { name, description } = tool;
      const callArguments = objectOf(args, 'arguments');
      return observeStep(
        context.observation?.toolCall({ id: '', name, description, arguments: callArguments }),
        () => tool.call(callArguments, context.moment.next()),
        (text) => text,
      );
    },
    'retriever.search': async ({ args }, _context, objects) => {
      const retriever = hostObject(args, objects);
      if (!isRetrieverHandle(retriever)) throw wrongObject('a vector store');
      return encodeValue(await retriever.search(textOf(args, 'query')), objects);
    },
    'history.read': async ({ args }, context, objects) => {
      const found = await chatMemory(args, objects).read(sessionOf(args, context), context);
      return found.map(({ text, fields }) => ({ text, sender: fields.sender ?? 'Machine' }));
    },
    'history.add': async ({ args }, context, objects) => {
      const sessionId = sessionOf(args, context);
      const sender = textOf(args, 'sender');
      const message = new Message({ text: textOf(args, 'text'), sender, sessionId });
      await chatMemory(args, objects).add(sessionId, message, context);
      return null;
    },
    'messages.read': async ({ args }, context, objects) =>
      (await context.readMessages(messageQuery(args, context))).map((message) => {
        const extra = { ...message.fields.extra, user_id: context.run.userId, is_output: false };
        return encodeValue(message.with({ extra }), objects);
      }),
    'messages.store': async ({ args }, context, objects) =>
      encodeValue(await context.storeMessage(messageOf(args, objects)), objects),
    'messages.send': async ({ args }, context, objects) =>
      encodeValue(await context.sendMessage(messageOf(args, objects)), objects),
    'file.read': ({ args }, context) => readFilePart(args, context),
    variable: async ({ args }, context) => (await context.variable(textOf(args, 'name'))) ?? null,
  } satisfies Readonly<Record<string, Method>>),
);

function hostObject(args: PythonObject, objects: LiveObjects): HostObject {
  return objects.host(integerOf(args, 'handle') ?? -1);
}

function wrongObject(expected: string): ComponentError {
  return new ComponentError(`The object is not ${expected}.`);
}

function chatModel(args: PythonObject, objects: LiveObjects): ChatModel {
  const handle = hostObject(args, objects);
  const chat = isModelHandle(handle) ? chatModelOf(handle) : null;
  if (chat === null) throw wrongObject('a chat model');
  return chat;
}

function chatMemory(
  args: PythonObject,
  objects: LiveObjects,
): NonNullable<ReturnType<typeof connectedMemory>> {
  const memory = connectedMemory(hostObject(args, objects));
  if (memory === null) throw wrongObject('a chat memory');
  return memory;
}

function sessionOf(args: PythonObject, context: ComponentContext): string {
  return textOf(args, 'session_id') || context.run.sessionId;
}

function chatRequest(args: PythonObject): {
  readonly messages: readonly ChatMessage[];
  readonly options: ChatOptions;
} {
  const tools = plainOf(listOf(args, 'tools')) as NonNullable<ChatOptions['tools']>;
  const toolToCall = textOf(args, 'toolToCall');
  return {
    messages: plainOf(listOf(args, 'messages')) as readonly ChatMessage[],
    options: {
      ...(tools.length === 0 ? {} : { tools }),
      ...(toolToCall === '' ? {} : { toolToCall }),
    },
  };
}

function answerFrame({ text, toolCalls, usage }: ChatAnswer): PythonObject {
  return {
    text,
    toolCalls: toolCalls.map(({ id, name, argumentsText }) => ({ id, name, argumentsText })),
    usage: usage === null ? null : { ...usage },
  };
}

function messageOf(args: PythonObject, objects: LiveObjects): Message {
  const message = decodeValue(memberOf(args, 'message') ?? null, objects);
  if (!(message instanceof Message)) throw wrongObject('a message');
  return message;
}

function messageQuery(args: PythonObject, context: ComponentContext): MessageQuery {
  const contextId = textOf(args, 'context_id');
  const sender = textOf(args, 'sender');
  const senderName = textOf(args, 'sender_name');
  return {
    sessionId: sessionOf(args, context),
    order: textOf(args, 'order') === 'ascending' ? 'ascending' : 'descending',
    limit: Math.min(Math.max(integerOf(args, 'limit') ?? maximumMessages, 0), maximumMessages),
    ...(contextId === '' ? {} : { contextId }),
    ...(sender === '' ? {} : { sender }),
    ...(senderName === '' ? {} : { senderName }),
  };
}
