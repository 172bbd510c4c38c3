/** Returns what `error.type` of a span names: the code of an expected error, the class of any other one. */
export function errorTypeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return typeof error;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error instanceof Error ? error.name : 'Error';
}
