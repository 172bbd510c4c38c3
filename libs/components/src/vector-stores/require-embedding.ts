import { ComponentError } from '@millrace/flow';
import type { EmbeddingsHandle } from '@millrace/flow';

/** The embedding model; throws when there is none. */
export function requireEmbedding(embedding: EmbeddingsHandle | null): EmbeddingsHandle {
  if (embedding !== null) return embedding;
  throw new ComponentError('An embedding model is required; wire one into the vector store.');
}
