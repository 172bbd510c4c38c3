import { ComponentError } from '@millrace/flow';
import type { EmbeddingsHandle } from '@millrace/flow';

/** Returns the embedding model; throws when there is none. */
export function requireEmbedding(embedding: EmbeddingsHandle | null): EmbeddingsHandle {
  if (embedding !== null) return embedding;
  throw new ComponentError('An embedding model is required; connect one to the vector store.');
}
