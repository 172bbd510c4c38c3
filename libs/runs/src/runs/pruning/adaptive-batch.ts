export interface AdaptiveBatchOptions {
  readonly minimum: number;
  readonly maximum: number;
  /** How long a batch should take. */
  readonly milliseconds: number;
}

/**
 * The size of the next batch of a repeated statement, so that batches take about the same time however fast the database
 * is. Begins with the smallest batch; grows slowly, and shrinks at once after a slow batch.
 */
export class AdaptiveBatch {
  readonly #options: AdaptiveBatchOptions;
  #size: number;

  constructor(options: AdaptiveBatchOptions) {
    this.#options = options;
    this.#size = options.minimum;
  }

  get size(): number {
    return this.#size;
  }

  /** Adapts the size to a batch of this size that took so long; `rows` is what it found. */
  measured(rows: number, milliseconds: number): void {
    const { minimum, maximum, milliseconds: target } = this.#options;
    const factor = target / Math.max(milliseconds, 0.1);
    // A batch that found less says nothing about a full one.
    if (factor > 1 && rows < this.#size) return;
    const next = Math.floor(this.#size * Math.min(factor, GROWTH));
    this.#size = Math.max(minimum, Math.min(maximum, next === this.#size && factor > 1 ? next + 1 : next));
  }
}

const GROWTH = 1.25;
