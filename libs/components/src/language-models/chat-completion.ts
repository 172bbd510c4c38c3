import { ComponentError } from '@millrace/flow';
import type { ComponentContext, MessageUsage, TextStream } from '@millrace/flow';
import type { ChatCompletionMessageParam, CompletionUsage } from 'openai/resources';
import { ChatCall } from './chat-call';
import type { ChatModel } from './chat-model';

export interface ChatAnswer {
  readonly text: string;
  readonly usage: MessageUsage | null;
}

/** Asks a chat model and waits for its whole answer. Throws a ComponentError with what the provider said. */
export async function completeChat(
  chat: ChatModel,
  messages: readonly ChatCompletionMessageParam[],
  context: ComponentContext,
): Promise<ChatAnswer> {
  const call = new ChatCall(chat, context);
  try {
    const completion = await call.client.chat.completions.create(
      { ...chat.parameters, model: chat.model, messages: [...messages], stream: false },
      { signal: call.signal },
    );
    const choice = completion.choices[0];
    if (choice === undefined) throw new ComponentError(`${chat.provider} gave an answer without a choice.`);
    return { text: choice.message.content ?? '', usage: usageOf(completion.usage) };
  } catch (error) {
    throw call.failure(error);
  }
}

/**
 * Asks a chat model and resolves when it begins to answer. The text comes chunk by chunk; who stops reading ends the
 * call. The usage is known once the text is read to its end.
 */
export async function streamChat(
  chat: ChatModel,
  messages: readonly ChatCompletionMessageParam[],
  context: ComponentContext,
): Promise<TextStream> {
  const call = new ChatCall(chat, context);
  try {
    const chunks = await call.client.chat.completions.create(
      {
        ...chat.parameters,
        model: chat.model,
        messages: [...messages],
        stream: true,
        stream_options: { include_usage: true },
      },
      { signal: call.signal },
    );
    let usage: MessageUsage | null = null;
    return {
      get usage() {
        return usage;
      },
      async *[Symbol.asyncIterator]() {
        try {
          for await (const chunk of chunks) {
            usage = usageOf(chunk.usage) ?? usage;
            const text = chunk.choices[0]?.delta.content;
            if (text) yield text;
          }
        } catch (error) {
          throw call.failure(error);
        }
      },
    };
  } catch (error) {
    throw call.failure(error);
  }
}

function usageOf(usage: CompletionUsage | null | undefined): MessageUsage | null {
  if (!usage) return null;
  return {
    input_tokens: usage.prompt_tokens,
    output_tokens: usage.completion_tokens,
    total_tokens: usage.total_tokens,
  };
}
