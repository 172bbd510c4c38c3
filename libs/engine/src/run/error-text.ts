/** Returns the text of an error, without a stack. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
