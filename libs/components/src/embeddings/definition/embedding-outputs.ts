/** The output of every embedding model component. */
export const embeddingOutputs = {
  embeddings: { types: ['Embeddings'], displayName: 'Embedding Model', tool: false },
} as const;
