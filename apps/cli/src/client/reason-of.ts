import { isNativeError } from 'node:util/types';

/** Returns the innermost reason of an error, such as `connect ECONNREFUSED 127.0.0.1:7860`. */
export function reasonOf(error: unknown): string {
  if (!isNativeError(error)) return String(error);
  const { errors, cause } = error as { readonly errors?: readonly unknown[]; readonly cause?: unknown };
  const inner = errors?.[0] ?? cause;
  const reason = inner === undefined ? '' : reasonOf(inner);
  return reason === '' ? error.message : reason;
}
