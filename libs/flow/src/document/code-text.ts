/**
 * Returns the text of a code field. Joins lines, because `POST /api/v1/flows/download/` of Langflow 1.13 splits the
 * text. Returns the empty text for any other value.
 */
export function codeText(value: unknown): string {
  if (typeof value === 'string') return value;
  const isLines = Array.isArray(value) && value.every((line) => typeof line === 'string');
  return isLines ? value.join('\n') : '';
}
