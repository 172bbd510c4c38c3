import { createHash } from 'node:crypto';
import { toTokens } from './answer-tokens';
import { ModelServerError } from './model-server-error';

const DIMENSIONS = 32;

/** Vectors of length one, made from a digest of each text: equal texts are equal vectors, and nothing more is meant. */
export function embed(body: unknown): object {
  const { model = 'embedding', input } = (body ?? {}) as { model?: unknown; input?: unknown };
  const texts: unknown[] = Array.isArray(input) ? input : [input];
  if (!texts.every((text): text is string => typeof text === 'string'))
    throw new ModelServerError(400, "'input' must be a text or a list of texts.");
  const tokens = texts.reduce((sum, text) => sum + toTokens(text).length, 0);
  return {
    object: 'list',
    data: texts.map((text, index) => ({ object: 'embedding', index, embedding: vector(text) })),
    model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}

function vector(text: string): number[] {
  const digest = createHash('sha256').update(text).digest();
  const numbers = Array.from({ length: DIMENSIONS }, (_, index) => (digest[index] ?? 0) / 127.5 - 1);
  const length = Math.hypot(...numbers);
  return numbers.map((number) => number / length);
}
