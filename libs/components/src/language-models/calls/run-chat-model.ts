import type { ComponentContext, ComponentOutputs } from '@millrace/flow';
import { Message } from '@millrace/python-text';
import type { MessageUsage, TextStream } from '@millrace/python-text';
import { failingWith, startText } from './start-text';
import { completeChat, streamChat } from './chat-completion';
import { chatMessages } from './chat-messages';
import type { ChatModel } from '../../integrations/models/chat-protocol';
import { errorOfValue } from '../../integrations/models/model-failure';
import { chatModelHandle } from '../choice/chat-model';
import type { ChatAnswer } from '../../integrations/models/chat-protocol';

export interface ChatInputValues {
  readonly input_value: Message | null;
  readonly system_message: string;
  readonly stream: boolean;
}

export interface ChatRunOptions {
  /** Returns the error of the component for one of the provider's client; the text of that alone unless given. */
  readonly errorOf?: (error: unknown, model: string) => unknown;
}

/**
 * Computes the outputs of a chat model: its answer, streamed token by token when streaming is on and a chat output
 * follows, and the model itself for other components. Computes only requested outputs: a model that is only passed on
 * is not called.
 */
export async function runChatModel(
  chat: ChatModel,
  inputs: ChatInputValues,
  context: ComponentContext,
  { errorOf = errorOfValue }: ChatRunOptions = {},
): Promise<ComponentOutputs> {
  const handle = context.wants('model_output') ? { model_output: chatModelHandle(chat) } : {};
  if (!context.wants('text_output')) return handle;
  return {
    text_output: await answerOf(chat, inputs, context, (error) => errorOf(error, chat.model)),
    ...handle,
  };
}

/** Returns the answer of a model as a message, streamed when streaming is on and a chat output follows. */
export async function answerOf(
  chat: ChatModel,
  inputs: ChatInputValues,
  context: ComponentContext,
  errorOf: (error: unknown) => unknown = (error) => error,
): Promise<Message> {
  const messages = await chatMessages(inputs.input_value, inputs.system_message, context);
  if (!inputs.stream || !context.feeds('ChatOutput')) {
    try {
      return whole(await completeChat(chat, messages, context));
    } catch (error) {
      throw errorOf(error);
    }
  }
  const started = await startText(failingWith(streamChat(chat, messages, context), errorOf));
  return spokenMessage(started.stream ?? ended(started.outcome.usage), chat, context);
}

/** Only a streamed message has the icon and the name of its model, as in Langflow. */
function spokenMessage(stream: TextStream, { model }: ChatModel, context: ComponentContext): Message {
  const { id, displayName, icon, type } = context.vertex;
  const message = new Message({ text: '', stream, sender: 'Machine', senderName: 'AI' });
  // A Language Model does not know its model by this name.
  const source = {
    id,
    display_name: displayName,
    source: type === 'LanguageModelComponent' ? '' : model,
  };
  return message.with({ properties: { ...message.fields.properties, icon, source } });
}

/** A stream that ended without text. */
function ended(usage: MessageUsage | null): TextStream {
  return { usage, async *[Symbol.asyncIterator]() {} };
}

function whole({ text, usage }: ChatAnswer): Message {
  const message = new Message({ text });
  return usage === null ? message : message.with({ properties: { ...message.fields.properties, usage } });
}
