import { ComponentError } from '@millrace/flow';
import type { ComponentContext, EmbeddingsHandle } from '@millrace/flow';
import type { EmbeddingPurpose, Vector } from '../../integrations/models/embedding-protocol';
import { embeddingSettingsOf } from './embedding-settings';

/** Returns the vectors of texts, in order. Throws a ComponentError with the provider's error text. */
export async function embedTexts(
  handle: EmbeddingsHandle,
  texts: readonly string[],
  context: ComponentContext,
  purpose: EmbeddingPurpose = 'document',
): Promise<readonly Vector[]> {
  const embedding = embeddingSettingsOf(handle);
  if (embedding === null) {
    throw new ComponentError(`The connected embedding model "${handle.model}" is not supported.`);
  }
  const { batchSize, protocol, provider } = embedding;
  const vectors: Vector[] = [];
  for (let start = 0; start < texts.length; start += batchSize) {
    const batch = texts.slice(start, start + batchSize);
    const answer = await protocol.embed(embedding, batch, purpose, context);
    if (answer.length !== batch.length) {
      throw new ComponentError(`${provider} returned ${answer.length} vectors for ${batch.length} texts.`);
    }
    vectors.push(...answer);
  }
  return vectors;
}
