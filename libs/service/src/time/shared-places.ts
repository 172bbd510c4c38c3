/** Places that many callers keep for some time, of which each of them has no more than its share. */
export class SharedPlaces {
  readonly #maximum: number;
  readonly #counts = new Map<string, number>();
  #taken = 0;

  constructor({ maximum }: { readonly maximum: number }) {
    this.#maximum = maximum;
  }

  /**
   * Takes a place, which counts towards each of the shares: the maximum by the name of who has it. Returns what makes the place
   * free, and can be called more than once; null when no place is left, or a share is used up.
   */
  take(shares: Readonly<Record<string, number>>): (() => void) | null {
    const names = Object.keys(shares);
    const count = (name: string) => this.#counts.get(name) ?? 0;
    if (this.#taken >= this.#maximum || names.some((name) => count(name) >= (shares[name] ?? 0))) return null;
    this.#taken += 1;
    for (const name of names) this.#counts.set(name, count(name) + 1);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      this.#taken -= 1;
      for (const name of names)
        if (count(name) > 1) this.#counts.set(name, count(name) - 1);
        else this.#counts.delete(name);
    };
  }
}
