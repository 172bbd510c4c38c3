import type { ComponentContext } from '@millrace/flow';
import type { ChatMessage } from './chat-message';
import type { ChatModel } from './chat-model';
import type { ChatAnswer, ChatWishes } from './chat-protocol';

/** Asks a chat model and waits for its whole answer. Throws a ComponentError with what the provider said. */
export function completeChat(
  chat: ChatModel,
  messages: readonly ChatMessage[],
  context: ComponentContext,
  wishes: ChatWishes = {},
): Promise<ChatAnswer> {
  return chat.protocol.complete(chat, { messages, ...wishes }, context);
}

/**
 * Asks a chat model and gives the text of its answer chunk by chunk, and the whole answer at the end. Who stops reading
 * ends the call.
 */
export function streamChat(
  chat: ChatModel,
  messages: readonly ChatMessage[],
  context: ComponentContext,
  wishes: ChatWishes = {},
): AsyncGenerator<string, ChatAnswer, undefined> {
  return chat.protocol.stream(chat, { messages, ...wishes }, context);
}
