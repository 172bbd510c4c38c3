/**
 * Replaces U+0000, which PostgreSQL's text cannot contain, by U+FFFD. Used where the rows of many callers share one
 * statement, so that one caller's text never fails the rows of others.
 */
export function storableText(text: string): string {
  return text.includes('\u0000') ? text.replaceAll('\u0000', '\uFFFD') : text;
}

/** As `storableText`, for nullable values. */
export function storableTextOrNull(text: string | null | undefined): string | null {
  return text === null || text === undefined ? null : storableText(text);
}
