import { eventsIn } from '../http/stream-events';
import { defineChatProtocol } from '../models/define-chat-protocol';
import { modelCall } from '../models/model-http';
import { readGoogle } from './google-answer';
import { googleRequest } from './google-messages';
import { googleModelPath } from './google-model-path';

/** Google's Gemini API, version v1beta. Parameters are members of `generationConfig`. */
export const googleChat = defineChatProtocol({
  parameters: (_, { temperature, maximumTokens, topP, topK, seed, json, further }) => ({
    ...further,
    ...(temperature === null ? {} : { temperature }),
    ...(maximumTokens ? { maxOutputTokens: maximumTokens } : {}),
    ...(topP ? { topP } : {}),
    ...(topK ? { topK } : {}),
    ...(seed === null || seed === undefined ? {} : { seed }),
    ...(json ? { responseMimeType: 'application/json' } : {}),
  }),
  call: (chat, request, streams) => {
    const { model, parameters } = chat;
    const { shape } = request;
    const generationConfig =
      shape === undefined
        ? parameters
        : { ...parameters, responseMimeType: 'application/json', responseJsonSchema: shape.schema };
    const method = streams ? 'streamGenerateContent?alt=sse' : 'generateContent';
    return modelCall(chat, {
      path: `/${googleModelPath(model)}:${method}`,
      body: { ...googleRequest(request), generationConfig },
    });
  },
  items: eventsIn,
  read: readGoogle,
});
