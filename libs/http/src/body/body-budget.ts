/** One request's share of a budget. */
export interface OpenBody {
  /** Counts the body for its owner from now on, before it takes bytes. */
  ownedBy(owner: string): void;
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
/** The rest is for other owners. A single body of an owner can take more. */
const SHARE_OF_OWNER = 3 / 4;

/** Limits the bytes of request bodies that a process holds at a time, and those of one owner. */
export class BodyBudget {
  readonly #maximumBytes: number;
  readonly #freeBytes: number;
  #held = 0;
  readonly #heldBy = new Map<string, number>();

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
    let owner: string | null = null;
    const add = (bytes: number) => {
      counted += bytes;
      this.#held += bytes;
      if (owner === null || bytes === 0) return;
      const held = this.#heldOf(owner) + bytes;
      if (held > 0) this.#heldBy.set(owner, held);
      else this.#heldBy.delete(owner);
    };
    return {
      ownedBy: (given) => (owner = given),
      take: (bytes) => {
        if (!isOpen) return false;
        const more = Math.max(0, size + bytes - this.#freeBytes) - counted;
        if (more > 0 && (this.#held + more > this.#maximumBytes || this.#isFull(owner, counted, more)))
          return false;
        size += bytes;
        add(more);
        return true;
      },
      close: () => {
        isOpen = false;
        add(-counted);
      },
    };
  }

  #heldOf(owner: string): number {
    return this.#heldBy.get(owner) ?? 0;
  }

  /** Whether the other bodies of an owner leave no room for more bytes of this one. */
  #isFull(owner: string | null, counted: number, more: number): boolean {
    const held = owner === null ? 0 : this.#heldOf(owner);
    return held > counted && held + more > this.#maximumBytes * SHARE_OF_OWNER;
  }
}
