import type { ComponentContext } from '@millrace/flow';
import type { ChatMessage } from '../../integrations/models/chat-message';
import type { ChatModel } from '../../integrations/models/chat-protocol';
import type { ChatAnswer, ChatOptions } from '../../integrations/models/chat-protocol';

/** Calls a chat model and returns its whole answer. Throws a ComponentError with the provider's error text. */
export function completeChat(
  chat: ChatModel,
  messages: readonly ChatMessage[],
  context: ComponentContext,
  options: ChatOptions = {},
): Promise<ChatAnswer> {
  return chat.protocol.complete(chat, { messages, ...options }, context);
}

/**
 * Calls a chat model, yields the text of its answer chunk by chunk, and returns the whole answer. A reader that stops
 * early cancels the call.
 */
export function streamChat(
  chat: ChatModel,
  messages: readonly ChatMessage[],
  context: ComponentContext,
  options: ChatOptions = {},
): AsyncGenerator<string, ChatAnswer, undefined> {
  return chat.protocol.stream(chat, { messages, ...options }, context);
}
