import { announcedWorkers } from '@millrace/dispatch';
import type { KeyValueStore } from '@millrace/key-value';
import { machineTime } from '@millrace/service';
import type { Logger } from '@millrace/service';

/** How old the slots can be before they are read again, in the background. */
const FRESH_MILLISECONDS = 5_000;
/** Older ones count as unknown. */
const KNOWN_MILLISECONDS = 30_000;

export interface PoolSlotsOptions {
  readonly keyValue: Pick<KeyValueStore, 'keys' | 'getMany'>;
  readonly logger: Logger;
}

/** The slots of the executors of each pool, as they announce them in the key-value store. */
export class PoolSlots {
  readonly #options: PoolSlotsOptions;
  #slots = new Map<string, number>();
  #readAt = -Infinity;
  #triedAt = -Infinity;
  #isReadable = true;

  constructor(options: PoolSlotsOptions) {
    this.#options = options;
  }

  /** Returns the slots of a pool; null while they are not known. Reads them again when they are old. */
  of(pool: string): number | null {
    const now = machineTime();
    if (now - this.#triedAt >= FRESH_MILLISECONDS) {
      this.#triedAt = now;
      void this.#read();
    }
    return now - this.#readAt < KNOWN_MILLISECONDS ? (this.#slots.get(pool) ?? null) : null;
  }

  async #read(): Promise<void> {
    const { keyValue, logger } = this.#options;
    try {
      const slots = new Map<string, number>();
      for (const { pool, concurrency } of await announcedWorkers(keyValue))
        slots.set(pool, (slots.get(pool) ?? 0) + concurrency);
      this.#slots = slots;
      this.#readAt = machineTime();
      this.#isReadable = true;
    } catch (error) {
      if (this.#isReadable)
        logger.warn(
          { error },
          'the slots of executors could not be read; waiting callers are not served in turn',
        );
      this.#isReadable = false;
    }
  }
}
