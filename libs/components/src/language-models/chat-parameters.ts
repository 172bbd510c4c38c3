/** Values of a model's settings as an author gave them; null, empty or 0 tokens means: leave it to the provider. */
export interface ChatParameters {
  readonly temperature: number | null;
  readonly maximumTokens: number | null;
  readonly seed?: number | null;
  readonly topP?: number | null;
  /** Ask for an answer that is JSON. */
  readonly json?: boolean;
  /** Members of the body that an author wrote himself. */
  readonly further?: Readonly<Record<string, unknown>>;
}

/** OpenAI's own API has renamed the token limit, and its reasoning models refuse temperature and seed. */
export type Dialect = 'openai' | 'compatible';

const reasoningModel = /^(o\d|gpt-5)/;

/** The members of a request's body that these settings stand for. */
export function chatParameters(
  model: string,
  { temperature, maximumTokens, seed, topP, json, further }: ChatParameters,
  dialect: Dialect,
): Readonly<Record<string, unknown>> {
  const steerable = dialect !== 'openai' || !reasoningModel.test(model);
  const limit = dialect === 'openai' ? 'max_completion_tokens' : 'max_tokens';
  return {
    ...further,
    ...(steerable && temperature !== null ? { temperature } : {}),
    ...(steerable && isGiven(seed) ? { seed } : {}),
    ...(topP ? { top_p: topP } : {}),
    ...(maximumTokens ? { [limit]: maximumTokens } : {}),
    ...(json ? { response_format: { type: 'json_object' } } : {}),
  };
}

function isGiven(value: number | null | undefined): value is number {
  return value !== null && value !== undefined;
}
