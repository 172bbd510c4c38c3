import type { ChatParameters } from '../models/chat-parameters';

/** OpenAI's own API has renamed the token limit, and its reasoning models reject temperature and seed. */
export type Dialect = 'openai' | 'compatible';

const reasoningModel = /^(o\d|gpt-5)/;

/** Returns the settings as members of a request body. */
export function openAiParameters(
  model: string,
  { temperature, maximumTokens, seed, topP, json, further }: ChatParameters,
  dialect: Dialect,
): Readonly<Record<string, unknown>> {
  const acceptsSampling = dialect !== 'openai' || !reasoningModel.test(model);
  const limit = dialect === 'openai' ? 'max_completion_tokens' : 'max_tokens';
  return {
    ...further,
    ...(acceptsSampling && temperature !== null ? { temperature } : {}),
    ...(acceptsSampling && isGiven(seed) ? { seed } : {}),
    ...(topP ? { top_p: topP } : {}),
    ...(maximumTokens ? { [limit]: maximumTokens } : {}),
    ...(json ? { response_format: { type: 'json_object' } } : {}),
  };
}

function isGiven(value: number | null | undefined): value is number {
  return value !== null && value !== undefined;
}
