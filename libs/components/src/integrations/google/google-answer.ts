import { ComponentError } from '@millrace/flow';
import type { MessageUsage, PythonValue } from '@millrace/python-text';
import { member, objectsMember, textMember } from '../http/json-members';
import type { ChatModel } from '../models/chat-protocol';
import type { CollectedAnswer } from '../models/collected-answer';
import { contentText } from '../models/content-text';

/** Adds a response of Gemini, one of a stream or the only one, to an answer. */
export function readGoogle(response: PythonValue, answer: CollectedAnswer, { provider }: ChatModel): void {
  const blocked = textMember(response, 'promptFeedback', 'blockReason');
  if (blocked !== '') throw new ComponentError(`${provider} blocked the request: ${blocked}`);
  answer.usage = usageOf(member(response, 'usageMetadata')) ?? answer.usage;
  answer.model ??= textMember(response, 'modelVersion') || undefined;
  const candidate = objectsMember(response, 'candidates')[0];
  if (candidate === undefined) return;
  answer.hasBegun = true;
  const finishReason = textMember(candidate, 'finishReason');
  answer.finishReason = finishReason || answer.finishReason;
  answer.hasEnded ||= finishReason !== '';
  for (const part of objectsMember(candidate, 'content', 'parts')) {
    answer.addText(contentText(part));
    const call = member(part, 'functionCall');
    if (call === null) continue;
    const signature = textMember(part, 'thoughtSignature');
    answer.calls.add({
      index: answer.calls.count,
      id: member(call, 'id'),
      name: member(call, 'name'),
      arguments: member(call, 'args'),
      ...(signature === '' ? {} : { signature }),
    });
  }
}

/** Thinking tokens count as output. */
function usageOf(usage: PythonValue): MessageUsage | null {
  const count = (name: string): number | null => {
    const value = member(usage, name);
    return typeof value === 'number' ? value : null;
  };
  const input = count('promptTokenCount');
  if (input === null) return null;
  const output = (count('candidatesTokenCount') ?? 0) + (count('thoughtsTokenCount') ?? 0);
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: count('totalTokenCount') ?? input + output,
  };
}
