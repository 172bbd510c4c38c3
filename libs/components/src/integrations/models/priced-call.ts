import type { PricedCall } from '@millrace/flow';
import type { PythonValue } from '@millrace/python-text';
import { member } from '../http/json-members';
import type { ChatModel, ChatRequest } from './chat-protocol';
import { tokenCount } from './token-count';

/** More tokens than any provider counts for one image, whatever its size. */
const IMAGE_TOKENS = 50_000;
/** More tokens than the instructions that a provider adds to a request with tools. */
const TOOL_TOKENS = 1_000;

interface SentCall {
  /** The provider. */
  readonly service: string;
  readonly body: string;
}

/**
 * Returns the worst case of a call of a chat model. A text has no more tokens than bytes, and what the body has around a message
 * is longer than the marks of the provider.
 */
export function pricedChat({ body }: SentCall, chat: ChatModel, request: ChatRequest): PricedCall {
  const { provider, model, parameters } = chat;
  let inputTokens = Buffer.byteLength(body) + ((request.tools?.length ?? 0) > 0 ? TOOL_TOKENS : 0);
  for (const message of request.messages) {
    if (message.role !== 'user') continue;
    for (const { base64 } of message.images ?? []) inputTokens -= Math.max(0, base64.length - IMAGE_TOKENS);
  }
  const settings = parameters as PythonValue;
  return {
    provider,
    model,
    inputTokens,
    outputTokens: numberAt(settings, MAXIMUM) ?? null,
    answers: numberAt(settings, ANSWERS) ?? 1,
  };
}

/** Returns the worst case of a call that creates vectors. */
export function pricedEmbedding({ body, service }: SentCall, model: string): PricedCall {
  return { provider: service, model, inputTokens: Buffer.byteLength(body), outputTokens: 0, answers: 1 };
}

/** The places where protocols have the maximum of an answer, relative to the parameters of the model. */
const MAXIMUM = [
  ['max_completion_tokens'],
  ['max_tokens'],
  ['maxOutputTokens'],
  ['options', 'num_predict'],
  ['inferenceConfig', 'maxTokens'],
] as const;

/** The places of the number of answers to one request. */
const ANSWERS = [['n'], ['candidateCount']] as const;

/** Where providers report the tokens of a request for vectors. */
const INPUT = [
  ['usage', 'prompt_tokens'],
  ['usage', 'total_tokens'],
  ['meta', 'billed_units', 'input_tokens'],
  ['input_token_count'],
  ['inputTextTokenCount'],
] as const;

/** Returns what an answer with vectors says of its tokens; null when it says nothing. */
export function embeddingUsage(answer: PythonValue): { input_tokens: number; output_tokens: number } | null {
  const input = tokenCount(numberAt(answer, INPUT) ?? null);
  return input === null ? null : { input_tokens: input, output_tokens: 0 };
}

/** Returns the first positive number at one of the paths. */
function numberAt(value: PythonValue, paths: readonly (readonly string[])[]): number | undefined {
  return paths
    .map((path) => member(value, ...path))
    .find((found): found is number => typeof found === 'number' && found > 0);
}
