import { createHash } from 'node:crypto';
import { toTokens } from './answer-tokens';
import { listOf, objectWith, refuse, textOf } from './dialects/refuse';

const DIMENSIONS = 32;

/** Returns embeddings in the format of OpenAI's API. */
export function openAiEmbeddings(body: unknown): object {
  const { model = 'embedding', input } = (body ?? {}) as { model?: unknown; input?: unknown };
  const texts: unknown[] = Array.isArray(input) ? input : [input];
  if (!texts.every((text): text is string => typeof text === 'string'))
    refuse("'input' must be a string or a list of strings.");
  const tokens = texts.reduce((sum, text) => sum + toTokens(text).length, 0);
  return {
    object: 'list',
    data: texts.map((text, index) => ({ object: 'embedding', index, embedding: vector(text) })),
    model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}

/** Returns embeddings in the format of the Gemini methods `embedContent` and `batchEmbedContents`. */
export function googleEmbeddings(body: unknown, method: string): object {
  if (method === 'embedContent') return { embedding: googleEmbedding(body, 'body') };
  const requests = listOf(objectWith(body, 'body', ['requests'])['requests'], 'requests');
  if (requests.length === 0 || requests.length > 100)
    refuse('requests: a batch must contain 1 to 100 requests.');
  return { embeddings: requests.map((request, index) => googleEmbedding(request, `requests[${index}]`)) };
}

function googleEmbedding(request: unknown, where: string): object {
  const members = ['model', 'content', 'taskType', 'title', 'outputDimensionality'];
  const { content, outputDimensionality: dimensions } = objectWith(request, where, members);
  const { parts } = objectWith(content, `${where}.content`, ['role', 'parts']);
  const text = listOf(parts, `${where}.content.parts`)
    .map((part, index) =>
      textOf((part as { text?: unknown } | null)?.text, `${where}.content.parts[${index}].text`),
    )
    .join('');
  return { values: vector(text, typeof dimensions === 'number' ? dimensions : DIMENSIONS) };
}

/**
 * Returns a vector of length one, derived from digests of the text. Equal texts have equal vectors; similarity has no
 * meaning.
 */
function vector(text: string, dimensions = DIMENSIONS): number[] {
  const numbers: number[] = [];
  for (let round = 0; numbers.length < dimensions; round += 1) {
    const digest = createHash('sha256')
      .update(round === 0 ? text : `${round} ${text}`)
      .digest();
    numbers.push(...[...digest].map((byte) => byte / 127.5 - 1));
  }
  const components = numbers.slice(0, dimensions);
  const length = Math.hypot(...components);
  return components.map((number) => number / length);
}
