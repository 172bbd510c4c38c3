import type { ChatProtocol } from '../models/chat-protocol';
import { ModelCall } from './openai-call';
import { openAiAnswer, openAiStream } from './openai-answer';
import { openAiRequest } from './openai-messages';
import { openAiParameters } from './openai-parameters';
import type { Dialect } from './openai-parameters';

/** OpenAI's own chat completions. */
export const openAiChat = chatCompletions('openai');

/** Chat completions as all other providers with this protocol offer them. */
export const compatibleChat = chatCompletions('compatible');

function chatCompletions(dialect: Dialect): ChatProtocol {
  return {
    parameters: (model, settings) => openAiParameters(model, settings, dialect),
    complete: async (chat, request, context) => {
      const call = new ModelCall(chat, context);
      try {
        const completion = await call.client.chat.completions.create(
          { ...chat.parameters, ...openAiRequest(request), model: chat.model, stream: false },
          { signal: call.signal },
        );
        return openAiAnswer(chat.provider, completion);
      } catch (error) {
        throw call.failure(error);
      }
    },
    stream: async function* (chat, request, context) {
      const call = new ModelCall(chat, context);
      try {
        const chunks = await call.client.chat.completions.create(
          {
            ...chat.parameters,
            ...openAiRequest(request),
            model: chat.model,
            stream: true,
            stream_options: { include_usage: true },
          },
          { signal: call.signal },
        );
        return yield* openAiStream(chunks);
      } catch (error) {
        throw call.failure(error);
      }
    },
  };
}
