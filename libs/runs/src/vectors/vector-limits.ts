/** Limits of a user's stored vectors: generous for one flow's documents, small in relation to all users together. */
export const vectorLimits = {
  /** Maximum number of collections of one user. */
  collections: 100,
  /** Maximum number of documents in one collection; a search reads all their vectors. */
  documents: 20_000,
  /** Maximum number of dimensions of a vector. */
  dimensions: 4096,
  /** Maximum number of characters of one text. */
  textCharacters: 200_000,
  /** Maximum number of bytes of one document's metadata as JSON. */
  metadataBytes: 65_536,
  /** Maximum number of characters of a document's id and of a collection's name. */
  nameCharacters: 500,
} as const;

/** A write exceeds a limit, or a vector has another number of dimensions than its collection. */
export class VectorLimitError extends Error {
  readonly code = 'vector_bound';

  constructor(message: string) {
    super(message);
    this.name = 'VectorLimitError';
  }
}
