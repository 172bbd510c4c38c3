import { ComponentError } from '@millrace/flow';
import type { PythonValue } from '@millrace/python-text';
import { member } from '../http/json-members';
import type { ChatModel } from '../models/chat-protocol';
import type { ChatProtocol, ChatRequest } from '../models/chat-protocol';
import type { ModelPost } from '../models/model-http';
import { postToModel, streamFromModel } from '../models/model-http';
import { openAiAnswer, openAiStream } from '../openai/openai-answer';
import { openAiRequest } from '../openai/openai-messages';
import { openAiParameters } from '../openai/openai-parameters';
import type { ChatCompletion, ChatCompletionChunk } from '../openai/openai-protocol';

/** IBM's chat API: messages and answers have OpenAI's format, everything else differs. */
export const watsonxChat: ChatProtocol = {
  parameters: (model, settings) => openAiParameters(model, settings, 'compatible'),
  complete: async (chat, request, context) => {
    const completion = await postToModel(chat, post(chat, request, '/text/chat'), context);
    if (!Array.isArray(member(completion, 'choices'))) {
      throw new ComponentError(`${chat.provider} returned an answer without a choice.`);
    }
    return openAiAnswer(chat.provider, completion as unknown as ChatCompletion);
  },
  stream: (chat, request, context) =>
    openAiStream(chunksOf(streamFromModel(chat, post(chat, request, '/text/chat_stream'), context))),
};

function post({ model, parameters }: ChatModel, request: ChatRequest, path: string): ModelPost {
  return { path, body: { ...parameters, ...openAiRequest(request), model_id: model } };
}

/** Events without a choice contain the usage, or nothing. */
async function* chunksOf(
  events: AsyncIterable<PythonValue>,
): AsyncGenerator<ChatCompletionChunk, void, undefined> {
  for await (const event of events) {
    const choices = member(event, 'choices');
    yield {
      choices: Array.isArray(choices) ? choices : [],
      usage: member(event, 'usage'),
    } as unknown as ChatCompletionChunk;
  }
}
