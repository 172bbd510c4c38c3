import type { MessageUsage, PythonValue } from '@millrace/python-text';
import type { AwsAccess } from '../aws/aws-access';
import { member, objectsMember, textMember } from '../http/json-members';
import type { ChatAnswer, ChatModel, ChatProtocol, ChatRequest } from '../models/chat-protocol';
import type { ToolCall } from '../models/tool-call';
import { callBedrock, streamBedrock } from './bedrock-call';
import type { BedrockCall } from './bedrock-call';
import { bedrockRequest } from './bedrock-messages';

/** Amazon Bedrock's Converse API. */
export function bedrockChat(access: AwsAccess, options: { readonly streams: boolean }): ChatProtocol {
  const complete: ChatProtocol['complete'] = async (chat, request, context) =>
    answerOf(chat, await callBedrock(access, callOf(chat, request, 'Converse'), chat, context));
  return {
    parameters: (_, { temperature, maximumTokens, topP, further = {} }) => ({
      inferenceConfig: {
        ...(maximumTokens ? { maxTokens: maximumTokens } : {}),
        ...(temperature === null ? {} : { temperature }),
        ...(topP === null || topP === undefined ? {} : { topP }),
      },
      ...(Object.keys(further).length === 0 ? {} : { additionalModelRequestFields: further }),
    }),
    complete,
    stream: async function* (chat, request, context) {
      if (options.streams) {
        const call = callOf(chat, request, 'ConverseStream');
        return yield* streamedAnswer(chat, streamBedrock(access, call, chat, context));
      }
      const answer = await complete(chat, request, context);
      if (answer.text !== '') yield answer.text;
      return answer;
    },
  };
}

function callOf(
  { model, parameters }: ChatModel,
  request: ChatRequest,
  operation: BedrockCall['operation'],
): BedrockCall {
  return { model, operation, body: { ...parameters, ...bedrockRequest(request) } };
}

function answerOf({ model }: ChatModel, answer: PythonValue): ChatAnswer {
  const blocks = objectsMember(answer, 'output', 'message', 'content');
  return {
    text: blocks.map((block) => textMember(block, 'text')).join(''),
    toolCalls: blocks
      .filter((block) => member(block, 'toolUse') !== null)
      .map((block) => ({
        id: textMember(block, 'toolUse', 'toolUseId'),
        name: textMember(block, 'toolUse', 'name'),
        argumentsText: JSON.stringify(member(block, 'toolUse', 'input') ?? {}),
      })),
    usage: usageOf(member(answer, 'usage')),
    model,
    finishReason: textMember(answer, 'stopReason') || undefined,
  };
}

/** The usage comes after the end of the message, so an answer ends with its stream. */
async function* streamedAnswer(
  { model }: ChatModel,
  events: AsyncIterable<{ readonly type: string; readonly event: PythonValue }>,
): AsyncGenerator<string, ChatAnswer, undefined> {
  const calls = new Map<PythonValue, { id: string; name: string; argumentsText: string }>();
  let text = '';
  let usage: MessageUsage | null = null;
  let finishReason: string | undefined;
  for await (const { type, event } of events) {
    const index = member(event, 'contentBlockIndex');
    if (type === 'contentBlockStart' && member(event, 'start', 'toolUse') !== null) {
      calls.set(index, {
        id: textMember(event, 'start', 'toolUse', 'toolUseId'),
        name: textMember(event, 'start', 'toolUse', 'name'),
        argumentsText: '',
      });
    } else if (type === 'contentBlockDelta') {
      const call = calls.get(index);
      if (call !== undefined) call.argumentsText += textMember(event, 'delta', 'toolUse', 'input');
      const piece = textMember(event, 'delta', 'text');
      text += piece;
      if (piece !== '') yield piece;
    } else if (type === 'messageStop') {
      finishReason = textMember(event, 'stopReason') || undefined;
    } else if (type === 'metadata') {
      usage = usageOf(member(event, 'usage'));
    }
  }
  return { text, toolCalls: [...calls.values()].map(complete), usage, model, finishReason };
}

/** A call without arguments has no argument events. */
function complete(call: ToolCall): ToolCall {
  return { ...call, argumentsText: call.argumentsText || '{}' };
}

/** Tokens read from and written to a cache count as input. */
function usageOf(usage: PythonValue): MessageUsage | null {
  const count = (name: string): number => {
    const value = member(usage, name);
    return typeof value === 'number' ? value : 0;
  };
  if (usage === null) return null;
  const input = count('inputTokens') + count('cacheReadInputTokens') + count('cacheWriteInputTokens');
  const output = count('outputTokens');
  return { input_tokens: input, output_tokens: output, total_tokens: input + output };
}
