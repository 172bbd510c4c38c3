/** A pseudorandom number generator with a seed. */
export class Random {
  #state: number;

  constructor(seed: number) {
    // Consecutive seeds result in distant states.
    this.#state = Math.imul(seed + 1, 0x9e3779b1) >>> 0;
  }

  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  readonly next = (): number => {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };

  /** Returns an integer from `least` to `most`, both inclusive. */
  between(minimum: number, maximum: number): number {
    return minimum + Math.floor(this.next() * (maximum - minimum + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.between(0, choices.length - 1)] as T;
  }
}
