import { ComponentError } from '@millrace/flow';
import type { ComponentContext, MessageUsage } from '@millrace/flow';
import type {
  ChatCompletionCreateParamsBase,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions/completions';
import type { CompletionUsage } from 'openai/resources';
import type { ChatModel } from './chat-model';
import { ModelCall } from './model-call';
import { ToolCallPieces, toolCallsOf } from './tool-call';
import type { ToolCall } from './tool-call';

export interface ChatAnswer {
  readonly text: string;
  /** What the model wants to have called before it goes on. */
  readonly toolCalls: readonly ToolCall[];
  readonly usage: MessageUsage | null;
}

/** What a call asks for besides an answer to its messages. */
export type ChatWishes = Pick<
  Partial<ChatCompletionCreateParamsBase>,
  'tools' | 'tool_choice' | 'response_format'
>;

/** Asks a chat model and waits for its whole answer. Throws a ComponentError with what the provider said. */
export async function completeChat(
  chat: ChatModel,
  messages: readonly ChatCompletionMessageParam[],
  context: ComponentContext,
  wishes: ChatWishes = {},
): Promise<ChatAnswer> {
  const call = new ModelCall(chat, context);
  try {
    const completion = await call.client.chat.completions.create(
      { ...chat.parameters, ...wishes, model: chat.model, messages: [...messages], stream: false },
      { signal: call.signal },
    );
    const choice = completion.choices[0];
    if (choice === undefined) throw new ComponentError(`${chat.provider} gave an answer without a choice.`);
    const { content, tool_calls } = choice.message;
    return { text: content ?? '', toolCalls: toolCallsOf(tool_calls), usage: usageOf(completion.usage) };
  } catch (error) {
    throw call.failure(error);
  }
}

/**
 * Asks a chat model and gives the text of its answer chunk by chunk, and the whole answer at the end. Who stops reading
 * ends the call.
 */
export async function* streamChat(
  chat: ChatModel,
  messages: readonly ChatCompletionMessageParam[],
  context: ComponentContext,
  wishes: ChatWishes = {},
): AsyncGenerator<string, ChatAnswer, undefined> {
  const call = new ModelCall(chat, context);
  const pieces = new ToolCallPieces();
  let text = '';
  let usage: MessageUsage | null = null;
  try {
    const chunks = await call.client.chat.completions.create(
      {
        ...chat.parameters,
        ...wishes,
        model: chat.model,
        messages: [...messages],
        stream: true,
        stream_options: { include_usage: true },
      },
      { signal: call.signal },
    );
    for await (const chunk of chunks) {
      usage = usageOf(chunk.usage) ?? usage;
      const delta = chunk.choices[0]?.delta;
      pieces.add(delta?.tool_calls);
      if (!delta?.content) continue;
      text += delta.content;
      yield delta.content;
    }
  } catch (error) {
    throw call.failure(error);
  }
  return { text, toolCalls: pieces.all(), usage };
}

function usageOf(usage: CompletionUsage | null | undefined): MessageUsage | null {
  if (!usage) return null;
  return {
    input_tokens: usage.prompt_tokens,
    output_tokens: usage.completion_tokens,
    total_tokens: usage.total_tokens,
  };
}
