/** Parts of an answer on their way from a process to a reader, up to a limit. */
export class PartQueue<Part> {
  readonly #maximum: number;
  #parts: Part[] = [];
  #size = 0;
  #end: { readonly error: unknown } | 'complete' | null = null;
  #wake: (() => void) | null = null;

  constructor(maximum: number) {
    this.#maximum = maximum;
  }

  /** Adds a part of this size; false when the reader is too far behind. */
  push(part: Part, size: number): boolean {
    this.#size += size;
    if (this.#size > this.#maximum) return false;
    this.#parts.push(part);
    this.#notify();
    return true;
  }

  complete(): void {
    this.#end ??= 'complete';
    this.#notify();
  }

  fail(error: unknown): void {
    this.#end ??= { error };
    this.#notify();
  }

  /** Yields the parts until the end; throws the error of {@link fail} after the parts before it. */
  async *read(): AsyncGenerator<Part, void, undefined> {
    for (;;) {
      const parts = this.#parts;
      this.#parts = [];
      this.#size = 0;
      for (const part of parts) yield part;
      if (this.#parts.length > 0) continue;
      if (this.#end === 'complete') return;
      if (this.#end !== null) throw this.#end.error;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  #notify(): void {
    this.#wake?.();
    this.#wake = null;
  }
}
