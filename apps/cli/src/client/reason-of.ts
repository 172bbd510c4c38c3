/** Returns the innermost reason of an error, such as `connect ECONNREFUSED 127.0.0.1:7860`. */
export function reasonOf(error: unknown): string {
  // An error of another realm, such as one of `fetch` under a test runner, is no instance of this Error.
  if (Object.prototype.toString.call(error) !== '[object Error]') return String(error);
  const { errors, cause, message } = error as Error & { readonly errors?: readonly unknown[] };
  const inner = errors?.[0] ?? cause;
  const reason = inner === undefined ? '' : reasonOf(inner);
  return reason === '' ? message : reason;
}
