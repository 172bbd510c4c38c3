import { eventsIn } from '../http/stream-events';
import { defineChatProtocol } from '../models/define-chat-protocol';
import { modelCall } from '../models/model-http';
import { readAnthropic } from './anthropic-answer';
import { anthropicRequest } from './anthropic-messages';

/** The protocol requires a limit. */
const defaultMaximumTokens = 4096;

/** Anthropic's Messages API, version 2023-06-01. */
export const anthropicChat = defineChatProtocol({
  parameters: (_, { temperature, maximumTokens, topP, topK, further }) => ({
    ...further,
    max_tokens: maximumTokens || defaultMaximumTokens,
    ...(temperature === null ? {} : { temperature }),
    ...(topP ? { top_p: topP } : {}),
    ...(topK ? { top_k: topK } : {}),
  }),
  call: (chat, request, stream) => {
    const { model, parameters } = chat;
    return modelCall(chat, {
      path: '/messages',
      body: { model, ...parameters, ...anthropicRequest(request), ...(stream ? { stream } : {}) },
    });
  },
  items: eventsIn,
  read: readAnthropic,
});
