/** How long a consumer that is closed without a deadline waits for its handlers. */
export const CLOSE_DEADLINE_MILLISECONDS = 30_000;

/** Counts the handlers that are at work, and tells when there is none left. */
export class InHand {
  #count = 0;
  #whenNone: (() => void)[] = [];

  get count(): number {
    return this.#count;
  }

  begin(): void {
    this.#count += 1;
  }

  end(): void {
    this.#count -= 1;
    if (this.#count > 0) return;
    const waiting = this.#whenNone;
    this.#whenNone = [];
    for (const resolve of waiting) resolve();
  }

  /** Resolves to true when none is at work, or to false when the time is over before that. */
  none(deadlineMilliseconds: number): Promise<boolean> {
    if (this.#count === 0) return Promise.resolve(true);
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), deadlineMilliseconds);
      this.#whenNone.push(() => {
        clearTimeout(timer);
        resolve(true);
      });
    });
  }
}
