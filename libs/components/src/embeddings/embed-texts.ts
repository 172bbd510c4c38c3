import { ComponentError } from '@millrace/flow';
import type { ComponentContext, EmbeddingsHandle } from '@millrace/flow';
import { ModelCall } from '../language-models/model-call';
import { embeddingSettingsOf } from './embedding-settings';

export type Vector = readonly number[];

/** The vectors of some texts, in their order. Throws a ComponentError with what the provider said. */
export async function embedTexts(
  handle: EmbeddingsHandle,
  texts: readonly string[],
  context: ComponentContext,
): Promise<readonly Vector[]> {
  const embedding = embeddingSettingsOf(handle);
  if (embedding === null) {
    throw new ComponentError(`The wired embedding model "${handle.model}" cannot be called from here.`);
  }
  const { model, dimensions, batchSize } = embedding;
  const vectors: Vector[] = [];
  for (let start = 0; start < texts.length; start += batchSize) {
    const input = texts.slice(start, start + batchSize);
    const call = new ModelCall(embedding, context);
    try {
      const { data } = await call.client.embeddings.create(
        // Plain numbers: not every server that speaks the protocol knows the packed form.
        { model, input, encoding_format: 'float', ...(dimensions === null ? {} : { dimensions }) },
        { signal: call.signal },
      );
      if (data.length !== input.length) {
        throw new ComponentError(
          `${embedding.provider} gave ${data.length} vectors for ${input.length} texts.`,
        );
      }
      vectors.push(...[...data].sort((a, b) => a.index - b.index).map((entry) => entry.embedding));
    } catch (error) {
      throw call.failure(error);
    }
  }
  return vectors;
}
