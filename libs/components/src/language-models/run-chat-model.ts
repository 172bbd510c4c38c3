import { Message } from '@millrace/flow';
import type { ComponentContext, ComponentOutputs } from '@millrace/flow';
import { beginText } from './begin-text';
import { completeChat, streamChat } from './chat-completion';
import { chatMessages } from './chat-messages';
import type { ChatModel } from './chat-model';
import { chatModelHandle } from './chat-model';
import type { ChatAnswer } from './chat-protocol';

export interface ChatInputValues {
  readonly input_value: Message | null;
  readonly system_message: string;
  readonly stream: boolean;
}

/**
 * The outputs of a chat model: its answer, which comes token by token when it is to be streamed and goes to a chat
 * output, and the model itself for others to call. Only what is wanted is made: a model that is merely handed on is not
 * called.
 */
export async function runChatModel(
  chat: ChatModel,
  inputs: ChatInputValues,
  context: ComponentContext,
): Promise<ComponentOutputs> {
  const handle = context.wants('model_output') ? { model_output: chatModelHandle(chat) } : {};
  if (!context.wants('text_output')) return handle;
  return { text_output: await answer(chat, inputs, context), ...handle };
}

async function answer(chat: ChatModel, inputs: ChatInputValues, context: ComponentContext): Promise<Message> {
  const messages = await chatMessages(inputs.input_value, inputs.system_message, context);
  if (!inputs.stream || !context.feeds('ChatOutput')) {
    return whole(await completeChat(chat, messages, context));
  }
  const begun = await beginText(streamChat(chat, messages, context));
  return begun.stream === null ? whole(begun.outcome) : new Message({ text: '', stream: begun.stream });
}

function whole({ text, usage }: ChatAnswer): Message {
  const message = new Message({ text });
  return usage === null ? message : message.with({ properties: { ...message.fields.properties, usage } });
}
