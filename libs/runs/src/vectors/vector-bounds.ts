/** What a user may keep as vectors; generous for one flow's documents, small beside everybody's. */
export const vectorBounds = {
  /** Collections of one user. */
  collections: 100,
  /** Documents of one collection; a search reads every vector among them. */
  documents: 20_000,
  /** Numbers of one vector. */
  dimensions: 4096,
  /** Characters of one text. */
  textCharacters: 200_000,
  /** Bytes of one document's metadata as JSON. */
  metadataBytes: 65_536,
  /** Characters of a document's id and of a collection's name. */
  nameCharacters: 500,
} as const;

/** What was to be kept goes beyond a bound, or does not fit the collection; the message names it. */
export class VectorBoundError extends Error {
  readonly code = 'vector_bound';

  constructor(message: string) {
    super(message);
    this.name = 'VectorBoundError';
  }
}
