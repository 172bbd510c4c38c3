/** Turns each backslash followed by the letter n into a newline, as every text setting of a flow is read. */
export function unescapeNewlines(text: string): string {
  return text.includes('\\n') ? text.replaceAll('\\n', '\n') : text;
}
