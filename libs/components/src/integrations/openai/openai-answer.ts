import { ComponentError } from '@millrace/flow';
import type { MessageUsage } from '@millrace/python-text';
import type { ChatAnswer } from '../models/chat-protocol';
import type { ChatCompletion, ChatCompletionChunk, CompletionUsage } from './openai-protocol';
import { toolCallsOf, ToolCallPieces } from './openai-tool-calls';

/** Reads the answer from a whole completion. Throws a ComponentError when it contains none. */
export function openAiAnswer(provider: string, completion: ChatCompletion): ChatAnswer {
  // Servers that only resemble OpenAI's answer with other JSON.
  const { choices, model } = completion as Partial<ChatCompletion>;
  const message = choices?.[0]?.message;
  if (message === undefined) throw new ComponentError(`${provider} returned an answer without a choice.`);
  return {
    text: message.content ?? '',
    toolCalls: toolCallsOf(message.tool_calls),
    usage: usageOf(completion.usage),
    model,
    finishReason: choices?.[0]?.finish_reason,
  };
}

/** Reads a streamed completion: yields the text of its chunks, and returns the whole answer. */
export async function* openAiStream(
  chunks: AsyncIterable<ChatCompletionChunk>,
): AsyncGenerator<string, ChatAnswer, undefined> {
  const pieces = new ToolCallPieces();
  let text = '';
  let usage: MessageUsage | null = null;
  let model: string | undefined;
  let finishReason: string | undefined;
  for await (const chunk of chunks) {
    usage = usageOf(chunk.usage) ?? usage;
    const choice = (chunk as Partial<ChatCompletionChunk>).choices?.[0];
    model ??= chunk.model;
    finishReason = choice?.finish_reason ?? finishReason;
    const delta = choice?.delta;
    pieces.add(delta?.tool_calls);
    if (!delta?.content) continue;
    text += delta.content;
    yield delta.content;
  }
  return { text, toolCalls: pieces.all(), usage, model, finishReason };
}

function usageOf(usage: CompletionUsage | null | undefined): MessageUsage | null {
  if (!usage) return null;
  return {
    input_tokens: usage.prompt_tokens,
    output_tokens: usage.completion_tokens,
    total_tokens: usage.total_tokens,
  };
}
