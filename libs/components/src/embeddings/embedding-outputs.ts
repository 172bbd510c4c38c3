/** The output that every embedding model has. */
export const embeddingOutputs = {
  embeddings: { types: ['Embeddings'], displayName: 'Embedding Model', tool: false },
} as const;
