/** A pseudorandom generator with a seed. A fork has its own sequence, so that uses in one part do not affect another. */
export class Random {
  #state;
  #seed;

  /** @param {number} seed */
  constructor(seed) {
    this.#seed = seed;
    this.#state = mix(seed);
  }

  /** Returns a number from 0 up to, not including, 1 (mulberry32). */
  next() {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let value = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296;
  }

  /**
   * Returns an integer between two bounds, both included.
   * @param {number} lowest
   * @param {number} highest
   */
  integer(lowest, highest) {
    return lowest + Math.floor(this.next() * (highest - lowest + 1));
  }

  /** @param {number} share */
  chance(share) {
    return this.next() < share;
  }

  /**
   * @template T
   * @param {readonly T[]} list
   */
  pick(list) {
    return list[this.integer(0, list.length - 1)];
  }

  /**
   * @template T
   * @param {readonly T[]} list
   */
  shuffled(list) {
    const left = [...list];
    return list.map(() => left.splice(this.integer(0, left.length - 1), 1)[0]);
  }

  /**
   * @param {string} name
   * @returns {Random}
   */
  fork(name) {
    return new Random(
      [...name].reduce((sum, letter) => mix(sum + (letter.codePointAt(0) ?? 0)), mix(this.#seed)),
    );
  }
}

/** @param {number} value */
function mix(value) {
  const half = Math.imul(value ^ (value >>> 16), 0x45d9f3b);
  return (half ^ (half >>> 16)) | 0;
}
