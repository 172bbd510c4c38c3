import type { ChatModel } from '../chat-model';
import type { ChatProtocol, ChatQuestion } from '../chat-protocol';
import type { ModelPost } from '../model-http';
import { postToModel, streamFromModel } from '../model-http';
import { anthropicAnswer, anthropicStream } from './anthropic-answer';
import { anthropicQuestion } from './anthropic-messages';

/** The protocol does not do without a limit. */
const usualMaximumTokens = 4096;

/** Anthropic's Messages interface, version 2023-06-01. */
export const anthropicChat: ChatProtocol = {
  parameters: (_, { temperature, maximumTokens, topP, topK, further }) => ({
    ...further,
    max_tokens: maximumTokens || usualMaximumTokens,
    ...(temperature === null ? {} : { temperature }),
    ...(topP ? { top_p: topP } : {}),
    ...(topK ? { top_k: topK } : {}),
  }),
  complete: async (chat, question, context) =>
    anthropicAnswer(await postToModel(chat, post(chat, question, false), context)),
  stream: (chat, question, context) =>
    anthropicStream(chat.provider, streamFromModel(chat, post(chat, question, true), context)),
};

function post({ model, parameters }: ChatModel, question: ChatQuestion, stream: boolean): ModelPost {
  return { path: '/messages', body: { model, ...parameters, ...anthropicQuestion(question), stream } };
}
