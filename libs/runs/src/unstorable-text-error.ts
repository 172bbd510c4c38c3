/** A name or description contains a character that the database cannot store: U+0000. */
export class UnstorableTextError extends Error {
  readonly code = 'unstorable_text';

  constructor(cause?: unknown) {
    super('a text contains the character U+0000, which cannot be stored', { cause });
    this.name = 'UnstorableTextError';
  }
}
