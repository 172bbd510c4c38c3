/**
 * Stands in for the function of `node:timers/promises`, on the timers that are global at the moment of the call.
 *
 * @public
 */
export function setTimeout<T>(
  milliseconds: number,
  value?: T,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(new Error('The wait was cut short.', { cause: signal?.reason }));
    if (signal?.aborted === true) return leave();
    const timer = globalThis.setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve(value);
    }, milliseconds);
    const abort = () => {
      clearTimeout(timer);
      leave();
    };
    signal?.addEventListener('abort', abort, { once: true });
  });
}
