/**
 * The text of a code field: as it is, or its lines, into which `POST /api/v1/flows/download/` of Langflow 1.13 takes it
 * apart. The empty text for anything else.
 */
export function codeText(value: unknown): string {
  if (typeof value === 'string') return value;
  const isLines = Array.isArray(value) && value.every((line) => typeof line === 'string');
  return isLines ? value.join('\n') : '';
}
