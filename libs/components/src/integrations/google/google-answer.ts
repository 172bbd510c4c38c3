import { ComponentError } from '@millrace/flow';
import type { MessageUsage, PythonObject, PythonValue } from '@millrace/python-text';
import { member, objectsMember, textMember } from '../http/json-members';
import type { ChatAnswer } from '../models/chat-protocol';
import type { ToolCall } from '../models/tool-call';

/** Reads the answer from a whole response of Gemini. Throws a ComponentError when the request was blocked. */
export function googleAnswer(provider: string, response: PythonValue): ChatAnswer {
  const reader = new GoogleAnswer(provider);
  reader.read(response);
  return reader.whole();
}

/** Reads a streamed response: yields its text as it arrives, and returns the whole answer. */
export async function* googleStream(
  provider: string,
  responses: AsyncIterable<PythonValue>,
): AsyncGenerator<string, ChatAnswer, undefined> {
  const reader = new GoogleAnswer(provider);
  for await (const response of responses) {
    const piece = reader.read(response);
    if (piece !== '') yield piece;
  }
  return reader.whole();
}

/** Assembles an answer from one or more responses. */
class GoogleAnswer {
  readonly #provider: string;
  readonly #calls: ToolCall[] = [];
  #text = '';
  #usage: MessageUsage | null = null;
  #model: string | undefined;
  #finishReason: string | undefined;

  constructor(provider: string) {
    this.#provider = provider;
  }

  /** Adds a response and returns its text. */
  read(response: PythonValue): string {
    const broken = textMember(response, 'error', 'message');
    if (broken !== '') throw new ComponentError(`${this.#provider} ended its answer early: ${broken}`);
    const blocked = textMember(response, 'promptFeedback', 'blockReason');
    if (blocked !== '') throw new ComponentError(`${this.#provider} blocked the request: ${blocked}`);
    this.#usage = usageOf(member(response, 'usageMetadata')) ?? this.#usage;
    this.#model ??= textMember(response, 'modelVersion') || undefined;
    const candidate = objectsMember(response, 'candidates')[0] ?? null;
    this.#finishReason = textMember(candidate, 'finishReason') || this.#finishReason;
    let added = '';
    for (const part of objectsMember(candidate, 'content', 'parts')) added += this.#readPart(part);
    this.#text += added;
    return added;
  }

  whole(): ChatAnswer {
    const finishReason = this.#finishReason;
    if (finishReason === undefined) throw new ComponentError(`${this.#provider} ended its answer early.`);
    return {
      text: this.#text,
      toolCalls: this.#calls,
      usage: this.#usage,
      model: this.#model,
      finishReason,
    };
  }

  #readPart(part: PythonObject): string {
    const call = member(part, 'functionCall');
    if (call !== null) {
      const name = textMember(call, 'name');
      const signature = textMember(part, 'thoughtSignature');
      this.#calls.push({
        id: textMember(call, 'id') || `${name}_${this.#calls.length}`,
        name,
        argumentsText: JSON.stringify(member(call, 'args') ?? {}),
        ...(signature === '' ? {} : { signature }),
      });
    }
    return part['thought'] === true ? '' : textMember(part, 'text');
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
