import { ComponentError } from '@millrace/flow';
import type { MessageUsage, PythonValue } from '@millrace/python-text';
import { member, objectsMember, textMember } from '../http/json-members';
import type { ChatModel } from '../models/chat-protocol';
import type { CollectedAnswer } from '../models/collected-answer';
import { contentText } from '../models/content-text';

/** The ends of answers with which OpenRouter, Zhipu and DeepSeek report that they were interrupted. */
const interruptions: ReadonlySet<string> = new Set([
  'error',
  'network_error',
  'insufficient_system_resource',
]);

/** Adds a chunk, or a whole completion, to an answer. */
export function readOpenAi(event: PythonValue, answer: CollectedAnswer, { provider }: ChatModel): void {
  answer.usage = usageOf(member(event, 'usage')) ?? answer.usage;
  answer.model ??= textMember(event, 'model') || undefined;
  const choice = choiceOf(event, answer);
  if (choice === undefined) return;
  const finishReason = textMember(choice, 'finish_reason');
  if (interruptions.has(finishReason)) {
    throw new ComponentError(`${provider} ended its answer early: ${finishReason}`, undefined, {
      permanent: false,
    });
  }
  answer.finishReason = finishReason || answer.finishReason;
  answer.hasEnded ||= finishReason !== '';
  const delta = member(choice, 'delta');
  const message = delta ?? member(choice, 'message');
  const content = member(message, 'content');
  // A message whose content has a form that no server documents is no answer.
  if (message === null || ['number', 'bigint', 'boolean'].includes(typeof content)) return;
  answer.hasBegun = true;
  const text = contentText(content);
  if (delta === null) answer.completeText(text);
  else answer.addText(text);
  answer.reasoning += textMember(message, 'reasoning_content');
  answer.refusal += textMember(message, 'refusal');
  readCalls(message, delta !== null, answer);
}

/** Returns the choice that is the answer: always the same one, although a server sends more than were asked for. */
function choiceOf(event: PythonValue, answer: CollectedAnswer): PythonValue | undefined {
  const choices = objectsMember(event, 'choices');
  const at = (index: PythonValue) => choices.find((choice) => (member(choice, 'index') ?? 0) === index);
  if (answer.choice !== undefined) return at(answer.choice);
  const choice = at(0) ?? choices[0];
  if (choice !== undefined) answer.choice = member(choice, 'index') ?? 0;
  return choice;
}

/** Adds the function calls of a message or of a part of one; no other kind of call is offered to the model. */
function readCalls(message: PythonValue, isPart: boolean, { calls }: CollectedAnswer): void {
  const found = objectsMember(message, 'tool_calls');
  for (const [place, call] of found.entries()) {
    if (member(call, 'function') === null) continue;
    calls.add({
      // Pieces without an index continue the last call or begin the next one.
      index: isPart ? member(call, 'index') : place,
      id: member(call, 'id'),
      name: member(call, 'function', 'name'),
      arguments: member(call, 'function', 'arguments'),
    });
  }
}

function usageOf(usage: PythonValue): MessageUsage | null {
  const count = (name: string): number | null => {
    const value = member(usage, name);
    return typeof value === 'number' ? value : null;
  };
  const input = count('prompt_tokens');
  const output = count('completion_tokens');
  if (input === null && output === null) return null;
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: count('total_tokens') ?? (input ?? 0) + (output ?? 0),
  };
}
