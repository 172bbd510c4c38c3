/** @import { WatchedSystem } from './watched-system.mjs' */

/**
 * Repeats the work until the returned function is called, which resolves when the last repetition has ended.
 * @param {() => Promise<unknown>} work
 */
export function repeat(work) {
  let isOver = false;
  const rounds = (async () => {
    while (!isOver) await work();
  })();
  // The function reports it.
  rounds.catch(() => undefined);
  return async () => {
    isOver = true;
    await rounds;
  };
}

/**
 * Makes a server refuse connections until the returned function is called.
 * @param {WatchedSystem['proxies']['database']} server
 */
export function refuse({ proxy }) {
  proxy.set({ isRefusing: true });
  proxy.cut();
  return () => proxy.clear();
}
