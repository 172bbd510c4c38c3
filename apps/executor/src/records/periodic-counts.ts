import type { Logger } from '@millrace/service';

export interface PeriodicCountsOptions<Count> {
  /** Adds counts to the database. */
  store(counts: ReadonlyMap<string, Count>): Promise<void>;
  /** Adds two counts of the same key. */
  add(one: Count, other: Count): Count;
  /** Called with a count that can not be kept. */
  onLost(count: Count): void;
  readonly milliseconds: number;
  /** Keys whose counts are not in the database yet; counts of further ones are lost. */
  readonly maximumKeys: number;
  /** For the log: what could not be stored. */
  readonly what: string;
  readonly logger: Logger;
}

/** Counts in memory, and adds the counts to the database from time to time. Those of a process that crashes are lost. */
export class PeriodicCounts<Count> {
  readonly #options: PeriodicCountsOptions<Count>;
  #counts = new Map<string, Count>();
  /** Counts that were not kept since the last line of the log about them. */
  #lost = 0;
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> = Promise.resolve();

  constructor(options: PeriodicCountsOptions<Count>) {
    this.#options = options;
  }

  add(key: string, count: Count): void {
    const { add, onLost, maximumKeys, milliseconds } = this.#options;
    const before = this.#counts.get(key);
    if (before === undefined && this.#counts.size >= maximumKeys) {
      this.#lost += 1;
      return onLost(count);
    }
    this.#counts.set(key, before === undefined ? count : add(before, count));
    this.#timer ??= setTimeout(() => void this.#flush(), milliseconds).unref();
  }

  /** Stores what has been counted. */
  async close(): Promise<void> {
    await this.#flush();
  }

  #flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const counts = this.#counts;
    if (counts.size === 0) return this.#flushing;
    this.#counts = new Map();
    return (this.#flushing = this.#flushing.then(() => this.#store(counts)));
  }

  /** A count whose commit has an unknown outcome can be added twice; it is a number for people. */
  async #store(counts: ReadonlyMap<string, Count>): Promise<void> {
    const { store, logger, what } = this.#options;
    if (this.#lost > 0) logger.warn({ counts: this.#lost }, `could not keep all of ${what}`);
    this.#lost = 0;
    try {
      await store(counts);
    } catch (error) {
      logger.warn({ error, counts: counts.size }, `could not store ${what}`);
      for (const [key, count] of counts) this.add(key, count);
    }
  }
}
