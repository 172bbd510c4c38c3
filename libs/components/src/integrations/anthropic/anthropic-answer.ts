import { ComponentError } from '@millrace/flow';
import type { MessageUsage, PythonValue } from '@millrace/python-text';
import { member, objectsMember, textMember } from '../http/json-members';
import type { ChatAnswer } from '../models/chat-protocol';
import type { ToolCall } from '../models/tool-call';

/** Reads the answer from a whole message of Anthropic. */
export function anthropicAnswer(message: PythonValue): ChatAnswer {
  const blocks = objectsMember(message, 'content');
  return {
    text: blocks.map((block) => (block['type'] === 'text' ? textMember(block, 'text') : '')).join(''),
    toolCalls: blocks
      .filter(({ type }) => type === 'tool_use')
      .map((block) => ({
        id: textMember(block, 'id'),
        name: textMember(block, 'name'),
        argumentsText: JSON.stringify(block['input'] ?? {}),
      })),
    usage: usageOf(member(message, 'usage'), null),
    model: textMember(message, 'model') || undefined,
    finishReason: textMember(message, 'stop_reason') || undefined,
  };
}

/** Reads a streamed message: yields its text as it arrives, and returns the whole answer. */
export async function* anthropicStream(
  provider: string,
  events: AsyncIterable<PythonValue>,
): AsyncGenerator<string, ChatAnswer, undefined> {
  const calls = new Map<PythonValue, { id: string; name: string; argumentsText: string }>();
  let text = '';
  let usage: MessageUsage | null = null;
  let model: string | undefined;
  let finishReason: string | undefined;
  for await (const event of events) {
    const index = member(event, 'index');
    switch (member(event, 'type')) {
      case 'message_start':
        usage = usageOf(member(event, 'message', 'usage'), null);
        model = textMember(event, 'message', 'model') || undefined;
        break;
      case 'content_block_start':
        if (member(event, 'content_block', 'type') !== 'tool_use') break;
        calls.set(index, {
          id: textMember(event, 'content_block', 'id'),
          name: textMember(event, 'content_block', 'name'),
          argumentsText: '',
        });
        break;
      case 'content_block_delta': {
        const call = calls.get(index);
        if (call !== undefined) call.argumentsText += textMember(event, 'delta', 'partial_json');
        const piece = textMember(event, 'delta', 'text');
        text += piece;
        if (piece !== '') yield piece;
        break;
      }
      case 'message_delta':
        usage = usageOf(member(event, 'usage'), usage);
        finishReason = textMember(event, 'delta', 'stop_reason') || finishReason;
        break;
      case 'message_stop':
        return { text, toolCalls: [...calls.values()].map(complete), usage, model, finishReason };
      case 'error':
        throw new ComponentError(
          `${provider} ended its answer early: ${textMember(event, 'error', 'message') || 'no reason given'}`,
        );
    }
  }
  throw new ComponentError(`${provider} ended its answer early.`);
}

/** A call without arguments has no argument events. */
function complete(call: ToolCall): ToolCall {
  return { ...call, argumentsText: call.argumentsText || '{}' };
}

/** Tokens read from and written to a cache count as input. Counts that a later event leaves out keep their value. */
function usageOf(usage: PythonValue, before: MessageUsage | null): MessageUsage | null {
  const count = (name: string): number | null => {
    const value = member(usage, name);
    return typeof value === 'number' ? value : null;
  };
  const fresh = count('input_tokens');
  const input =
    fresh === null
      ? (before?.input_tokens ?? null)
      : fresh + (count('cache_read_input_tokens') ?? 0) + (count('cache_creation_input_tokens') ?? 0);
  const output = count('output_tokens') ?? before?.output_tokens ?? null;
  if (input === null && output === null) return null;
  return { input_tokens: input, output_tokens: output, total_tokens: (input ?? 0) + (output ?? 0) };
}
