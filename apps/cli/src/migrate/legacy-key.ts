import { createHash } from 'node:crypto';

const WORDS = 624;
const SHIFT = 397;
const KEY_BYTES = 32;

/**
 * Returns the key that Langflow before 1.10.1 derived from a short secret: 32 bytes of Python's random numbers (MT19937),
 * seeded with the secret as Python seeds from a text.
 */
export function legacyKeyBytes(secret: string): Buffer {
  const text = Buffer.from(secret);
  const numbers = new MersenneTwister(
    seedWords(Buffer.concat([text, createHash('sha512').update(text).digest()])),
  );
  return Buffer.from(Array.from({ length: KEY_BYTES }, () => numbers.next() >>> 24));
}

/** Splits a big-endian number into words of 32 bits, the least significant first, without leading zeros. */
function seedWords(number: Buffer): number[] {
  const padded = Buffer.concat([Buffer.alloc((4 - (number.length % 4)) % 4), number]);
  const words = Array.from({ length: padded.length / 4 }, (_, index) =>
    padded.readUInt32BE(index * 4),
  ).toReversed();
  while (words.length > 1 && words.at(-1) === 0) words.pop();
  return words;
}

/** MT19937, seeded by an array (Matsumoto and Nishimura, 2002). */
class MersenneTwister {
  readonly #state = new Uint32Array(WORDS);
  #index = WORDS;

  constructor(seed: readonly number[]) {
    const state = this.#state;
    state[0] = 19_650_218;
    for (let index = 1; index < WORDS; index += 1)
      state[index] = Math.imul(1_812_433_253, this.#mixed(index)) + index;
    let at = 1;
    let from = 0;
    const advance = () => {
      at += 1;
      if (at < WORDS) return;
      state[0] = this.#word(WORDS - 1);
      at = 1;
    };
    for (let count = Math.max(WORDS, seed.length); count > 0; count -= 1) {
      state[at] = (this.#word(at) ^ Math.imul(this.#mixed(at), 1_664_525)) + (seed[from] ?? 0) + from;
      advance();
      from = (from + 1) % seed.length;
    }
    for (let count = WORDS - 1; count > 0; count -= 1) {
      state[at] = (this.#word(at) ^ Math.imul(this.#mixed(at), 1_566_083_941)) - at;
      advance();
    }
    state[0] = 0x8000_0000;
  }

  /** The next 32 bits. */
  next(): number {
    if (this.#index === WORDS) this.#generate();
    let word = this.#word(this.#index);
    this.#index += 1;
    word ^= word >>> 11;
    word ^= (word << 7) & 0x9d2c_5680;
    word ^= (word << 15) & 0xefc6_0000;
    return (word ^ (word >>> 18)) >>> 0;
  }

  #generate(): void {
    for (let index = 0; index < WORDS; index += 1) {
      const mixed = (this.#word(index) & 0x8000_0000) | (this.#word((index + 1) % WORDS) & 0x7fff_ffff);
      const odd = (mixed & 1) === 0 ? 0 : 0x9908_b0df;
      this.#state[index] = this.#word((index + SHIFT) % WORDS) ^ (mixed >>> 1) ^ odd;
    }
    this.#index = 0;
  }

  #word(index: number): number {
    return this.#state[index] ?? 0;
  }

  #mixed(index: number): number {
    const before = this.#word(index - 1);
    return before ^ (before >>> 30);
  }
}
