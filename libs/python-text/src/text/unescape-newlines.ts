/** Replaces each backslash followed by the letter n by a newline, as for every text setting of a flow. */
export function unescapeNewlines(text: string): string {
  return text.includes('\\n') ? text.replaceAll('\\n', '\n') : text;
}
