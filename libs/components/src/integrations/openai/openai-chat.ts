import { eventsIn } from '../http/stream-events';
import { openAiChatExceptions } from '../models/client-exceptions';
import type { ChatProtocol } from '../models/chat-protocol';
import { defineChatProtocol } from '../models/define-chat-protocol';
import { modelCall } from '../models/model-http';
import { readOpenAi } from './openai-answer';
import { openAiRequest } from './openai-messages';
import { openAiParameters } from './openai-parameters';
import type { Dialect } from './openai-parameters';

/** OpenAI's own chat completions. */
export const openAiChat = chatCompletions('openai');

/** Chat completions as all other providers with this protocol offer them. */
export const compatibleChat = chatCompletions('compatible');

function chatCompletions(dialect: Dialect): ChatProtocol {
  return defineChatProtocol({
    parameters: (model, settings) => openAiParameters(model, settings, dialect),
    call: (chat, request, streams) => {
      const streaming = streams
        ? { stream: true, stream_options: { include_usage: true } }
        : { stream: false };
      const { model, parameters } = chat;
      const body = { ...parameters, ...openAiRequest(request), model, ...streaming };
      const made = modelCall(chat, { path: '/chat/completions', body });
      return { ...made, exceptions: made.exceptions && openAiChatExceptions };
    },
    items: eventsIn,
    read: readOpenAi,
  });
}
