import { boolean, handle, integer, listOf, text } from '@millrace/flow';

/** The inputs of all vector stores. */
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

/** The embedding model of stores that do not make vectors themselves. */
export const embeddingInput = {
  embedding: handle({ displayName: 'Embedding', inputTypes: ['Embeddings'] }),
} as const;

/** Returns the input for the maximum number of search results, four by default. */
export function resultsInput(defaultCount = 4) {
  return {
    number_of_results: integer({
      displayName: 'Number of Results',
      description: 'The maximum number of search results.',
      default: defaultCount,
      advanced: true,
    }),
  } as const;
}
