import type { ChatModel } from '../models/chat-protocol';
import type { ChatProtocol, ChatRequest } from '../models/chat-protocol';
import type { ModelPost } from '../models/model-http';
import { postToModel, streamFromModel } from '../models/model-http';
import { googleAnswer, googleStream } from './google-answer';
import { googleRequest } from './google-messages';
import { googleModelPath } from './google-model-path';

/** Google's Gemini API, version v1beta. Parameters are members of `generationConfig`. */
export const googleChat: ChatProtocol = {
  parameters: (_, { temperature, maximumTokens, topP, topK, seed, json, further }) => ({
    ...further,
    ...(temperature === null ? {} : { temperature }),
    ...(maximumTokens ? { maxOutputTokens: maximumTokens } : {}),
    ...(topP ? { topP } : {}),
    ...(topK ? { topK } : {}),
    ...(seed === null || seed === undefined ? {} : { seed }),
    ...(json ? { responseMimeType: 'application/json' } : {}),
  }),
  complete: async (chat, request, context) =>
    googleAnswer(chat.provider, await postToModel(chat, post(chat, request, 'generateContent'), context)),
  stream: (chat, request, context) =>
    googleStream(
      chat.provider,
      streamFromModel(chat, post(chat, request, 'streamGenerateContent?alt=sse'), context),
    ),
};

function post({ model, parameters }: ChatModel, request: ChatRequest, method: string): ModelPost {
  const { shape } = request;
  const generationConfig =
    shape === undefined
      ? parameters
      : { ...parameters, responseMimeType: 'application/json', responseJsonSchema: shape.schema };
  return {
    path: `/${googleModelPath(model)}:${method}`,
    body: { ...googleRequest(request), generationConfig },
  };
}
