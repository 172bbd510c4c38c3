import type { PythonValue } from '@millrace/python-text';
import type { ChatModel, ChatProtocol, ChatRequest } from '../models/chat-protocol';
import type { ModelPost } from '../models/model-http';
import { openAiAnswer, openAiStream } from './openai-answer';
import { callOpenAi, streamOpenAi } from './openai-call';
import { openAiRequest } from './openai-messages';
import { openAiParameters } from './openai-parameters';
import type { Dialect } from './openai-parameters';
import type { ChatCompletion, ChatCompletionChunk } from './openai-protocol';

/** OpenAI's own chat completions. */
export const openAiChat = chatCompletions('openai');

/** Chat completions as all other providers with this protocol offer them. */
export const compatibleChat = chatCompletions('compatible');

function chatCompletions(dialect: Dialect): ChatProtocol {
  return {
    parameters: (model, settings) => openAiParameters(model, settings, dialect),
    complete: async (chat, request, context) => {
      const completion = await callOpenAi(chat, post(chat, request, { stream: false }), context);
      return openAiAnswer(chat.provider, completion as unknown as ChatCompletion);
    },
    stream: (chat, request, context) => {
      const streamed = { stream: true, stream_options: { include_usage: true } };
      const events = streamOpenAi(chat, post(chat, request, streamed), context);
      return openAiStream(events as AsyncGenerator<PythonValue & ChatCompletionChunk>);
    },
  };
}

function post({ model, parameters }: ChatModel, request: ChatRequest, streaming: object): ModelPost {
  return {
    path: '/chat/completions',
    body: { ...parameters, ...openAiRequest(request), model, ...streaming },
  };
}
