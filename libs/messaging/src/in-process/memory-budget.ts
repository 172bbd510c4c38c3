/** Counts the bytes that waiting and unsettled messages hold, up to a limit. */
export class MemoryBudget {
  readonly #limitBytes: number;
  #usedBytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** False when it does not fit; nothing is taken then. */
  take(bytes: number): boolean {
    if (this.#usedBytes + bytes > this.#limitBytes) return false;
    this.#usedBytes += bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.#usedBytes -= bytes;
  }
}
