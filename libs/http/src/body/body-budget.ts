/** One request's share of a budget. */
export interface OpenBody {
  /** Takes more bytes; false when the budget has no room for them. */
  take(bytes: number): boolean;
  /** Releases all bytes. Idempotent. */
  close(): void;
}

export interface BodyBudgetOptions {
  /** Maximum number of bytes of all open bodies together. */
  readonly maximumBytes: number;
  /** The first bytes of each body are not counted, so that small requests pass while large ones fill the budget. */
  readonly freeBytes?: number;
}

const FREE_BYTES = 65_536;

/** Limits the bytes of request bodies that a process holds at a time. */
export class BodyBudget {
  readonly #maximumBytes: number;
  readonly #freeBytes: number;
  #held = 0;

  constructor({ maximumBytes, freeBytes = FREE_BYTES }: BodyBudgetOptions) {
    this.#maximumBytes = maximumBytes;
    this.#freeBytes = freeBytes;
  }

  /** Counted bytes of all open bodies. */
  get heldBytes(): number {
    return this.#held;
  }

  open(): OpenBody {
    let size = 0;
    let counted = 0;
    let isOpen = true;
    return {
      take: (bytes) => {
        if (!isOpen) return false;
        const more = Math.max(0, size + bytes - this.#freeBytes) - counted;
        if (this.#held + more > this.#maximumBytes && more > 0) return false;
        size += bytes;
        counted += more;
        this.#held += more;
        return true;
      },
      close: () => {
        isOpen = false;
        this.#held -= counted;
        counted = 0;
      },
    };
  }
}
