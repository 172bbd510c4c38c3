/**
 * Replaces what PostgreSQL's text cannot contain, U+0000 and halves of surrogate pairs, by U+FFFD. Used for what is not
 * refused: texts that runs produce, and rows of many users in one statement, where one user's text must not fail the rows of
 * others.
 */
export function storableText(text: string): string {
  const wellFormed = text.toWellFormed();
  return wellFormed.includes('\u0000') ? wellFormed.replaceAll('\u0000', '\uFFFD') : wellFormed;
}

/** As `storableText`, for nullable values. */
export function storableTextOrNull(text: string | null | undefined): string | null {
  return text === null || text === undefined ? null : storableText(text);
}
