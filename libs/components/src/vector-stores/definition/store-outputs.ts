/** The outputs of vector stores, those of earlier versions included. */
export const storeOutputs = {
  search_results: {
    types: ['Data', 'JSON'],
    displayName: 'Search Results',
    method: 'search_documents',
  },
  dataframe: { types: ['DataFrame', 'Table'], displayName: 'Table', method: 'as_dataframe' },
  vectorstoreconnection: {
    types: ['VectorStore'],
    displayName: 'Vector Store Connection',
    tool: false,
  },
  base_retriever: { types: ['Retriever'], displayName: 'Retriever of earlier versions', tool: false },
  vector_store: { types: ['VectorStore'], displayName: 'Vector Store of earlier versions', tool: false },
} as const;
