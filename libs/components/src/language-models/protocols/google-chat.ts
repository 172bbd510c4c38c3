import type { ChatModel } from '../chat-model';
import type { ChatProtocol, ChatQuestion } from '../chat-protocol';
import type { ModelPost } from '../model-http';
import { postToModel, streamFromModel } from '../model-http';
import { googleAnswer, googleStream } from './google-answer';
import { googleQuestion } from './google-messages';
import { googleModelPath } from './google-model-path';

/** Google's Gemini interface, version v1beta. Parameters are members of `generationConfig`. */
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
  complete: async (chat, question, context) =>
    googleAnswer(chat.provider, await postToModel(chat, post(chat, question, 'generateContent'), context)),
  stream: (chat, question, context) =>
    googleStream(
      chat.provider,
      streamFromModel(chat, post(chat, question, 'streamGenerateContent?alt=sse'), context),
    ),
};

function post({ model, parameters }: ChatModel, question: ChatQuestion, method: string): ModelPost {
  const { shape } = question;
  const generationConfig =
    shape === undefined
      ? parameters
      : { ...parameters, responseMimeType: 'application/json', responseJsonSchema: shape.schema };
  return {
    path: `/${googleModelPath(model)}:${method}`,
    body: { ...googleQuestion(question), generationConfig },
  };
}
