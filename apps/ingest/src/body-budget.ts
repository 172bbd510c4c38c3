const MAXIMUM_BYTES = 268_435_456;

/** One webhook's share of the budget. */
export interface OpenBody {
  /** False when there is no room for so many bytes more. */
  take(bytes: number): boolean;
  /** The body is not needed any more. */
  close(): void;
}

/** How many bytes of bodies this process holds at a time, from their arrival until their runs are on disk. */
export class BodyBudget {
  #held = 0;

  open(): OpenBody {
    let taken = 0;
    return {
      take: (bytes) => {
        if (this.#held + bytes > MAXIMUM_BYTES) return false;
        this.#held += bytes;
        taken += bytes;
        return true;
      },
      close: () => {
        this.#held -= taken;
        taken = 0;
      },
    };
  }
}
