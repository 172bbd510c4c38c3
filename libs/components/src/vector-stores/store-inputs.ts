import { boolean, handle, integer, listOf, text } from '@millrace/flow';

/** The inputs that every vector store has. */
export const storeInputs = {
  ingest_data: listOf(
    handle({ displayName: 'Ingest Data', inputTypes: ['Data', 'JSON', 'DataFrame', 'Table'] }),
  ),
  search_query: text({ displayName: 'Search Query', multiline: true, tool: true }),
  should_cache_vector_store: boolean({
    displayName: 'Cache Vector Store',
    default: true,
    advanced: true,
  }),
} as const;

/** The embedding model of stores that make no vectors themselves. */
export const embeddingInput = {
  embedding: handle({ displayName: 'Embedding', inputTypes: ['Embeddings'] }),
} as const;

/** How many results a search gives at most, four unless said otherwise. */
export function resultsInput(usual = 4) {
  return {
    number_of_results: integer({
      displayName: 'Number of Results',
      description: 'How many results a search gives at most.',
      default: usual,
      advanced: true,
    }),
  } as const;
}
