/**
 * PostgreSQL's text cannot hold the character U+0000. In what many callers' rows share one statement for, it becomes
 * U+FFFD, so that one caller's text never fails the others' rows.
 */
export function storableText(text: string): string {
  return text.includes('\u0000') ? text.replaceAll('\u0000', '\uFFFD') : text;
}

/** As `storableText`, for what may be null. */
export function storableTextOrNull(text: string | null | undefined): string | null {
  return text === null || text === undefined ? null : storableText(text);
}
