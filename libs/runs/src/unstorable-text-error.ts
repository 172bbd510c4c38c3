/** A text contains a character that the database cannot store: U+0000, or half of a surrogate pair. */
export class UnstorableTextError extends Error {
  readonly code = 'unstorable_text';

  constructor(cause?: unknown) {
    super('A value contains characters that cannot be stored.', { cause });
    this.name = 'UnstorableTextError';
  }
}
