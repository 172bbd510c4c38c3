/** Default time for which a consumer that is closed waits for its handlers. */
export const CLOSE_DEADLINE_MILLISECONDS = 30_000;

/** Counts operations in flight and resolves when none is left. */
export class InFlightCounter {
  #count = 0;
  #idleListeners: (() => void)[] = [];

  get count(): number {
    return this.#count;
  }

  begin(): void {
    this.#count += 1;
  }

  end(): void {
    this.#count -= 1;
    if (this.#count > 0) return;
    const waiting = this.#idleListeners;
    this.#idleListeners = [];
    for (const resolve of waiting) resolve();
  }

  /** Resolves to true when no operation is in flight, or to false at the deadline. */
  whenIdle(deadlineMilliseconds: number): Promise<boolean> {
    if (this.#count === 0) return Promise.resolve(true);
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), deadlineMilliseconds);
      this.#idleListeners.push(() => {
        clearTimeout(timer);
        resolve(true);
      });
    });
  }
}
