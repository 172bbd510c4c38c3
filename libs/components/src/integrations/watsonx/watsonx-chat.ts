import { eventsIn } from '../http/stream-events';
import { defineChatProtocol } from '../models/define-chat-protocol';
import { modelCall } from '../models/model-http';
import { readOpenAi } from '../openai/openai-answer';
import { openAiRequest } from '../openai/openai-messages';
import { openAiParameters } from '../openai/openai-parameters';

/** IBM's chat API: messages and answers have OpenAI's format, everything else differs. */
export const watsonxChat = defineChatProtocol({
  parameters: (model, settings) => openAiParameters(model, settings, 'compatible'),
  call: (chat, request, streams) => {
    const { model, parameters } = chat;
    return modelCall(chat, {
      path: streams ? '/text/chat_stream' : '/text/chat',
      body: { ...parameters, ...openAiRequest(request), model_id: model },
    });
  },
  items: eventsIn,
  read: readOpenAi,
});
