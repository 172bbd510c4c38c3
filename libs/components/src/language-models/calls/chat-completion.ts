import { observeStep, observeStream } from '@millrace/flow';
import type { ComponentContext, ObservedModelAnswer, ObservedModelCall } from '@millrace/flow';
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
  const complete = (): Promise<ChatAnswer> => chat.protocol.complete(chat, { messages, ...options }, context);
  const step = context.observation?.modelCall(observedCall(chat, messages, false));
  return counted(step === undefined ? complete() : observeStep(step, complete, observedAnswer), context);
}

async function counted(answering: Promise<ChatAnswer>, context: ComponentContext): Promise<ChatAnswer> {
  const answer = await answering;
  if (answer.usage !== null) context.countTokens(answer.usage);
  return answer;
}

/**
 * Calls a chat model, yields the text of its answer chunk by chunk, and returns the whole answer. A reader that stops
 * early cancels the call.
 */
export async function* streamChat(
  chat: ChatModel,
  messages: readonly ChatMessage[],
  context: ComponentContext,
  options: ChatOptions = {},
): AsyncGenerator<string, ChatAnswer, undefined> {
  const stream = (): AsyncGenerator<string, ChatAnswer, undefined> =>
    chat.protocol.stream(chat, { messages, ...options }, context);
  const step = context.observation?.modelCall(observedCall(chat, messages, true));
  const answer = yield* step === undefined ? stream() : observeStream(step, stream, observedAnswer);
  if (answer.usage !== null) context.countTokens(answer.usage);
  return answer;
}

function observedCall(
  { provider, model, baseUrl, parameters }: ChatModel,
  messages: readonly ChatMessage[],
  streams: boolean,
): ObservedModelCall {
  return { operation: 'chat', provider, model, address: baseUrl, streams, parameters, messages };
}

function observedAnswer({ model, finishReason, usage, text, toolCalls }: ChatAnswer): ObservedModelAnswer {
  return { model: model ?? null, finishReason: finishReason ?? null, usage, text, toolCalls };
}
