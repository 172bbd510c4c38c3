/**
 * Replaces the functions of `node:timers/promises`; uses the timers that are global at the time of the call.
 *
 * @public
 */
export function setTimeout<T>(
  milliseconds: number,
  value?: T,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const rejectAborted = () => reject(new Error('The wait was aborted.', { cause: signal?.reason }));
    if (signal?.aborted === true) return rejectAborted();
    const timer = globalThis.setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve(value);
    }, milliseconds);
    const abort = () => {
      clearTimeout(timer);
      rejectAborted();
    };
    signal?.addEventListener('abort', abort, { once: true });
  });
}

/** @public */
export function setImmediate<T>(value?: T): Promise<T | undefined> {
  return new Promise((resolve) => {
    globalThis.setImmediate(() => resolve(value));
  });
}
