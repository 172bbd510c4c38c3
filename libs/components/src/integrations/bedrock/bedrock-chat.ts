import type { MessageUsage, PythonValue } from '@millrace/python-text';
import type { AwsAccess } from '../aws/aws-access';
import { member, objectsMember, textMember } from '../http/json-members';
import type { ChatModel, ChatProtocol } from '../models/chat-protocol';
import type { CollectedAnswer } from '../models/collected-answer';
import { contentText } from '../models/content-text';
import { defineChatProtocol } from '../models/define-chat-protocol';
import { bedrockCall, bedrockItems } from './bedrock-call';
import { bedrockRequest } from './bedrock-messages';

/** Amazon Bedrock's Converse API. */
export function bedrockChat(access: AwsAccess, options: { readonly streams: boolean }): ChatProtocol {
  return defineChatProtocol({
    parameters: (_, { temperature, maximumTokens, topP, further = {} }) => ({
      inferenceConfig: {
        ...(maximumTokens ? { maxTokens: maximumTokens } : {}),
        ...(temperature === null ? {} : { temperature }),
        ...(topP === null || topP === undefined ? {} : { topP }),
      },
      ...(Object.keys(further).length === 0 ? {} : { additionalModelRequestFields: further }),
    }),
    call: (chat, request, streams) => {
      const { model, parameters } = chat;
      const operation = streams && options.streams ? 'ConverseStream' : 'Converse';
      const body = { ...parameters, ...bedrockRequest(request) };
      return bedrockCall(access, { model, operation, body }, chat);
    },
    items: bedrockItems,
    read: readBedrock,
  });
}

/** Adds an event, or a whole answer, to an answer. The usage comes after the end of the message. */
function readBedrock(event: PythonValue, answer: CollectedAnswer, { model }: ChatModel): void {
  answer.model = model;
  const whole = member(event, 'output', 'message');
  if (whole !== null) {
    answer.hasBegun = true;
    for (const [index, block] of objectsMember(whole, 'content').entries()) {
      answer.addText(contentText(block));
      readCall(member(block, 'toolUse'), index, answer);
    }
  }
  if (member(event, 'messageStart') !== null) answer.hasBegun = true;
  readCall(
    member(event, 'contentBlockStart', 'start', 'toolUse'),
    member(event, 'contentBlockStart', 'contentBlockIndex'),
    answer,
  );
  const delta = member(event, 'contentBlockDelta', 'delta');
  if (delta !== null) {
    answer.hasBegun = true;
    answer.addText(contentText(delta));
    readCall(member(delta, 'toolUse'), member(event, 'contentBlockDelta', 'contentBlockIndex'), answer);
  }
  const reason = textMember(event, 'stopReason') || textMember(event, 'messageStop', 'stopReason');
  answer.finishReason = reason || answer.finishReason;
  answer.hasEnded ||= member(event, 'messageStop') !== null;
  answer.usage = usageOf(member(event, 'usage') ?? member(event, 'metadata', 'usage')) ?? answer.usage;
}

function readCall(call: PythonValue, index: PythonValue, { calls }: CollectedAnswer): void {
  if (call === null) return;
  calls.add({
    index,
    id: member(call, 'toolUseId'),
    name: member(call, 'name'),
    arguments: member(call, 'input'),
  });
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
