import { readFileSync } from 'node:fs';
import { jsonOf } from './model-recorder.mjs';
import { objectOf } from './read-events.mjs';

/**
 * Returns a function that changes a request of embeddings into what it means: Langflow sends the ids of tokens in place of
 * texts, and asks for the numbers in base64.
 * @param {string} file the tokens of tiktoken's cl100k_base: base64 and id in each line
 */
export function embeddedTexts(file) {
  /** @type {Map<number, Buffer> | undefined} */
  let tokens;
  const textOf = (/** @type {unknown} */ ids) => {
    if (!Array.isArray(ids)) return ids;
    tokens ??= new Map(
      readFileSync(file, 'utf8')
        .trim()
        .split('\n')
        .map((line) => [Number(line.split(' ')[1]), Buffer.from(line.split(' ')[0], 'base64')]),
    );
    return Buffer.concat(ids.map((id) => tokens?.get(id) ?? Buffer.alloc(0))).toString();
  };
  return (/** @type {Buffer} */ body) => {
    const asked = objectOf(jsonOf(body.toString()));
    if (!Array.isArray(asked.input)) return body;
    return Buffer.from(
      JSON.stringify({ ...asked, input: asked.input.map(textOf), encoding_format: 'float' }),
    );
  };
}
