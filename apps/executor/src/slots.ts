/** A place for one run. Releasing it twice is fine. */
export interface Slot {
  release(): void;
}

interface Waiter {
  readonly alone: boolean;
  readonly resolve: (slot: Slot | null) => void;
}

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

  /** Takes a slot (all of them when `alone`), waiting for it if need be; null when one of the signals fires first. */
  take(alone: boolean, ...leaving: readonly AbortSignal[]): Slot | Promise<Slot | null> {
    if (this.#waiting.length === 0 && this.#fits(alone)) return this.#hold(alone);
    return new Promise((resolve) => {
      if (leaving.some(({ aborted }) => aborted)) return resolve(null);
      const waiter: Waiter = {
        alone,
        resolve: (slot) => {
          // The signals may live much longer than this wait.
          for (const signal of leaving) signal.removeEventListener('abort', leave);
          resolve(slot);
        },
      };
      const leave = () => this.#leave(waiter);
      for (const signal of leaving) signal.addEventListener('abort', leave, { once: true });
      this.#waiting.push(waiter);
    });
  }

  #leave(waiter: Waiter): void {
    const position = this.#waiting.indexOf(waiter);
    if (position === -1) return;
    this.#waiting.splice(position, 1);
    waiter.resolve(null);
    this.#serve();
  }

  #fits(alone: boolean): boolean {
    return !this.#alone && (alone ? this.#taken === 0 : this.#taken < this.#size);
  }

  #hold(alone: boolean): Slot {
    this.#taken += 1;
    this.#alone = alone;
    let isHeld = true;
    return {
      release: () => {
        if (!isHeld) return;
        isHeld = false;
        this.#release();
      },
    };
  }

  #release(): void {
    this.#taken -= 1;
    if (this.#taken === 0) this.#alone = false;
    this.#serve();
  }

  #serve(): void {
    let next = this.#waiting[0];
    while (next && this.#fits(next.alone)) {
      this.#waiting.shift();
      next.resolve(this.#hold(next.alone));
      next = this.#waiting[0];
    }
  }
}
