import type { ChatModel } from '../models/chat-protocol';
import type { ChatProtocol, ChatRequest } from '../models/chat-protocol';
import type { ModelPost } from '../models/model-http';
import { postToModel, streamFromModel } from '../models/model-http';
import { anthropicAnswer, anthropicStream } from './anthropic-answer';
import { anthropicRequest } from './anthropic-messages';

/** The protocol requires a limit. */
const defaultMaximumTokens = 4096;

/** Anthropic's Messages API, version 2023-06-01. */
export const anthropicChat: ChatProtocol = {
  parameters: (_, { temperature, maximumTokens, topP, topK, further }) => ({
    ...further,
    max_tokens: maximumTokens || defaultMaximumTokens,
    ...(temperature === null ? {} : { temperature }),
    ...(topP ? { top_p: topP } : {}),
    ...(topK ? { top_k: topK } : {}),
  }),
  complete: async (chat, request, context) =>
    anthropicAnswer(await postToModel(chat, post(chat, request, false), context)),
  stream: (chat, request, context) =>
    anthropicStream(chat.provider, streamFromModel(chat, post(chat, request, true), context)),
};

function post({ model, parameters }: ChatModel, request: ChatRequest, stream: boolean): ModelPost {
  return { path: '/messages', body: { model, ...parameters, ...anthropicRequest(request), stream } };
}
