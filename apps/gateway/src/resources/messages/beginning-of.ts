/** Cuts a text, but not within a character. */
export function beginningOf(text: string, limit: number): string {
  return text.length <= limit ? text : text.slice(0, limit).replace(/[\ud800-\udbff]$/, '');
}
