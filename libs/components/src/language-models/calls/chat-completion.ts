import { createHash } from 'node:crypto';
import { observeStep, observeStream } from '@millrace/flow';
import type { ComponentContext, ObservedModelAnswer, ObservedModelCall } from '@millrace/flow';
import type { ChatMessage } from '../../integrations/models/chat-message';
import type { ChatModel } from '../../integrations/models/chat-protocol';
import type { ChatAnswer, ChatOptions, ChatRequest } from '../../integrations/models/chat-protocol';

/** Calls a chat model and returns its whole answer. Throws a ComponentError with the provider's error text. */
export function completeChat(
  chat: ChatModel,
  messages: readonly ChatMessage[],
  context: ComponentContext,
  options: ChatOptions = {},
): Promise<ChatAnswer> {
  const request = { messages, ...options };
  const complete = (): Promise<ChatAnswer> =>
    chat.protocol.complete(withIdempotencyKey(chat, request, context), request, context);
  const step = context.observation?.modelCall(observedCall(chat, messages, false));
  return counted(step === undefined ? complete() : observeStep(step, complete, observedAnswer), context);
}

async function counted(answering: Promise<ChatAnswer>, context: ComponentContext): Promise<ChatAnswer> {
  const answer = await answering;
  account(answer, context);
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
  const request = { messages, ...options };
  const stream = (): AsyncGenerator<string, ChatAnswer, undefined> =>
    chat.protocol.stream(withIdempotencyKey(chat, request, context), request, context);
  const step = context.observation?.modelCall(observedCall(chat, messages, true));
  const answer = yield* step === undefined ? stream() : observeStream(step, stream, observedAnswer);
  account(answer, context);
  return answer;
}

/** In a durable run a call has a key that is the same in each attempt, also where no step of it was recorded before a crash. */
function withIdempotencyKey(chat: ChatModel, request: ChatRequest, context: ComponentContext): ChatModel {
  if (!context.recordsEffects) return chat;
  const name = createHash('sha256').update(JSON.stringify(request)).digest('hex');
  const key = context.stepKey(`model ${name}`);
  return key === null ? chat : { ...chat, headers: { ...chat.headers, 'idempotency-key': key } };
}

/** The ends of answers that are not whole, in the words of the providers. */
const unusualEnd =
  /length|max_?(?:output_?)?tokens|filter|safety|refusal|recitation|block|prohibited|spii|malformed|guardrail/i;

/** Counts the tokens of an answer. As in Langflow an answer that is refused or cut is one; the log says so. */
function account({ usage, refusal, finishReason = '' }: ChatAnswer, context: ComponentContext): void {
  if (usage !== null) context.countTokens(usage);
  if (refusal !== undefined) context.log(`The model refused to answer: ${refusal}`);
  else if (unusualEnd.test(finishReason))
    context.log(`The answer of the model ended with "${finishReason}".`);
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
