/** Returns the innermost reason of an error, such as `connect ECONNREFUSED 127.0.0.1:7860`. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const inner = error instanceof AggregateError ? error.errors[0] : error.cause;
  const reason = inner === undefined ? '' : reasonOf(inner);
  return reason === '' ? error.message : reason;
}
