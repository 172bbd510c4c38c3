import type { MessageUsage, PythonValue } from '@millrace/python-text';
import { member, textMember } from '../http/json-members';
import type { CollectedAnswer } from '../models/collected-answer';
import { contentText } from '../models/content-text';

/** Adds an event, or a whole message, to an answer. */
export function readAnthropic(event: PythonValue, answer: CollectedAnswer): void {
  const index = member(event, 'index');
  switch (member(event, 'type')) {
    case 'message_start':
      readMessage(member(event, 'message'), answer);
      break;
    case 'content_block_start':
      readBlock(member(event, 'content_block'), index, answer);
      break;
    case 'content_block_delta':
      answer.hasBegun = true;
      answer.addText(textMember(event, 'delta', 'text'));
      if (member(event, 'delta', 'partial_json') !== null) {
        answer.calls.add({ index, arguments: member(event, 'delta', 'partial_json') });
      }
      break;
    case 'message_delta':
      answer.usage = usageOf(member(event, 'usage'), answer.usage);
      readEnd(member(event, 'delta'), answer);
      break;
    case 'message_stop':
      answer.hasEnded = true;
      break;
    default:
      if (member(event, 'content') !== null) readMessage(event, answer);
  }
}

function readMessage(message: PythonValue, answer: CollectedAnswer): void {
  answer.hasBegun = true;
  answer.usage = usageOf(member(message, 'usage'), null);
  answer.model = textMember(message, 'model') || undefined;
  const content = member(message, 'content');
  for (const [place, block] of (Array.isArray(content) ? content : [content]).entries()) {
    readBlock(block as PythonValue, place, answer);
  }
  readEnd(message, answer);
}

function readBlock(block: PythonValue, index: PythonValue, answer: CollectedAnswer): void {
  answer.hasBegun = true;
  answer.addText(contentText(block));
  if (member(block, 'type') !== 'tool_use') return;
  const input = member(block, 'input');
  answer.calls.add({
    index,
    id: member(block, 'id'),
    name: member(block, 'name'),
    // A stream begins a call with an empty object and sends the arguments as text.
    arguments: isEmptyObject(input) ? '' : input,
  });
}

function readEnd(message: PythonValue, answer: CollectedAnswer): void {
  const reason = textMember(message, 'stop_reason');
  answer.finishReason = reason || answer.finishReason;
  answer.hasEnded ||= reason !== '';
}

function isEmptyObject(value: PythonValue): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
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
