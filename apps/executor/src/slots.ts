type Waiter = { readonly alone: boolean; readonly resolve: (taken: boolean) => void };

/**
 * Slots for runs. Most runs share them; one that may kill its process takes all of them, so that nobody dies with
 * it. First come, first served: while a run waits to be alone, later ones wait behind it.
 */
export class Slots {
  readonly #size: number;
  readonly #waiting: Waiter[] = [];
  #taken = 0;
  #alone = false;

  constructor(size: number) {
    this.#size = size;
  }

  get taken(): number {
    return this.#taken;
  }

  /** Takes a slot (all of them when `alone`); resolves to false when `signal` fires first. */
  take(alone: boolean, signal: AbortSignal): Promise<boolean> | true {
    if (this.#waiting.length === 0 && this.#fits(alone)) {
      this.#hold(alone);
      return true;
    }
    return new Promise((resolve) => {
      const waiter: Waiter = { alone, resolve };
      this.#waiting.push(waiter);
      signal.addEventListener(
        'abort',
        () => {
          const position = this.#waiting.indexOf(waiter);
          if (position === -1) return;
          this.#waiting.splice(position, 1);
          resolve(false);
          this.#serve();
        },
        { once: true },
      );
    });
  }

  release(): void {
    this.#taken -= 1;
    if (this.#taken === 0) this.#alone = false;
    this.#serve();
  }

  #fits(alone: boolean): boolean {
    return !this.#alone && (alone ? this.#taken === 0 : this.#taken < this.#size);
  }

  #hold(alone: boolean): void {
    this.#taken += 1;
    this.#alone = alone;
  }

  #serve(): void {
    let next = this.#waiting[0];
    while (next && this.#fits(next.alone)) {
      this.#waiting.shift();
      this.#hold(next.alone);
      next.resolve(true);
      next = this.#waiting[0];
    }
  }
}
