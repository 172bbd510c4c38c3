import { announcedWorkers } from '@millrace/dispatch';
import type { KeyValueStore } from '@millrace/key-value';
import { machineTime } from '@millrace/service';
import type { Logger } from '@millrace/service';

/** How old the announcements can be before they are read again, in the background. */
const FRESH_MILLISECONDS = 5_000;
/** The pause after a read until they are read again for an executor that has appeared. */
const PAUSE_MILLISECONDS = 100;
/** Older ones count as unknown. */
const KNOWN_MILLISECONDS = 30_000;

export interface AnnouncedPoolsOptions {
  readonly keyValue: Pick<KeyValueStore, 'keys' | 'getMany'>;
  readonly logger: Logger;
}

/** What the executors of a pool announce in the key-value store. */
interface AnnouncedPool {
  readonly slots: number;
  /** How many jobs they take at once, also several in one message; 0 when one of them reads one job a message. */
  readonly takesJobs: number;
}

/** The executors of each pool, by their announcements. */
export class AnnouncedPools {
  readonly #options: AnnouncedPoolsOptions;
  #pools = new Map<string, AnnouncedPool>();
  #readAt = -Infinity;
  #triedAt = -Infinity;
  /** Executors that have appeared, and how many of them had when the announcements were read. */
  #appeared = 0;
  #appearedWhenRead = 0;
  #isReadable = true;

  constructor(options: AnnouncedPoolsOptions) {
    this.#options = options;
  }

  /** Returns the slots of a pool; null while they are not known. */
  slots(pool: string): number | null {
    return this.#pool(pool)?.slots ?? null;
  }

  /**
   * Returns how many jobs the executors of a pool take at once, also several in one message; 0 unless all are known to read
   * that.
   */
  batchedJobs(pool: string): number {
    const takesJobs = this.#pool(pool)?.takesJobs ?? 0;
    return this.#appeared === this.#appearedWhenRead ? takesJobs : 0;
  }

  /** Notes that an executor has started or reconnected: it may be of an earlier release. */
  executorAppeared(): void {
    this.#appeared += 1;
  }

  /** Reads the announcements again, in the background, when they are old. */
  #pool(name: string): AnnouncedPool | undefined {
    const now = machineTime();
    const isComplete = this.#appeared === this.#appearedWhenRead;
    if (now - this.#triedAt >= (isComplete ? FRESH_MILLISECONDS : PAUSE_MILLISECONDS)) {
      this.#triedAt = now;
      void this.#read();
    }
    return now - this.#readAt < KNOWN_MILLISECONDS ? this.#pools.get(name) : undefined;
  }

  async #read(): Promise<void> {
    const { keyValue, logger } = this.#options;
    const appeared = this.#appeared;
    try {
      const pools = new Map<string, AnnouncedPool>();
      for (const { pool, concurrency, takesJobs = 0 } of await announcedWorkers(keyValue)) {
        const others = pools.get(pool);
        pools.set(pool, {
          slots: (others?.slots ?? 0) + concurrency,
          takesJobs: takesJobs === 0 || others?.takesJobs === 0 ? 0 : (others?.takesJobs ?? 0) + takesJobs,
        });
      }
      this.#pools = pools;
      this.#readAt = machineTime();
      this.#appearedWhenRead = appeared;
      this.#isReadable = true;
    } catch (error) {
      if (this.#isReadable)
        logger.warn(
          { error },
          'the announcements of executors could not be read; waiting callers are not served in turn',
        );
      this.#isReadable = false;
    }
  }
}
