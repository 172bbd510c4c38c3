import { setTimeout as sleep } from 'node:timers/promises';
import { announcedWorkers } from '@millrace/dispatch';
import type { KeyValueStore } from '@millrace/key-value';
import { machineTime } from '@millrace/service';
import type { Logger } from '@millrace/service';
import type { BrokerNames } from '@millrace/messages';
import type { MessageBus, QueueStatus } from '@millrace/messaging';
import { LRUCache } from 'lru-cache';
import { noExecutor } from './run-error';
import type { RunPool } from './run-error';

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

/** The executors of a pool that are connected to the broker. */
export interface ConnectedExecutors {
  readonly slots: number;
  /** Slots in use when the executors announced themselves. */
  readonly busy: number;
}

const NOT_CONNECTED: ConnectedExecutors = { slots: 0, busy: 0 };

/** What the executors of a pool announce in the key-value store. */
interface AnnouncedPool {
  readonly slots: number;
  /** How many jobs they take at once, also several in one message; 0 when one of them reads one job a message. */
  readonly takesJobs: number;
  readonly connected: ConnectedExecutors;
}

/** The executors of each pool, by their announcements. */
export class AnnouncedPools {
  readonly #options: AnnouncedPoolsOptions;
  #pools = new Map<string, AnnouncedPool>();
  #reading: Promise<void> = Promise.resolve();
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

  /**
   * Resolves to the connected executors of a pool, by announcements that are at most some seconds old; null while they cannot be
   * read.
   */
  async connected(pool: string): Promise<ConnectedExecutors | null> {
    this.#refresh();
    await this.#reading;
    return this.#isKnown ? (this.#pools.get(pool)?.connected ?? NOT_CONNECTED) : null;
  }

  /** Notes that an executor has started or reconnected: it may be of an earlier release. */
  executorAppeared(): void {
    this.#appeared += 1;
  }

  #pool(name: string): AnnouncedPool | undefined {
    this.#refresh();
    return this.#isKnown ? this.#pools.get(name) : undefined;
  }

  get #isKnown(): boolean {
    return machineTime() - this.#readAt < KNOWN_MILLISECONDS;
  }

  /** Reads the announcements again, in the background, when they are old. */
  #refresh(): void {
    const now = machineTime();
    const isComplete = this.#appeared === this.#appearedWhenRead;
    if (now - this.#triedAt < (isComplete ? FRESH_MILLISECONDS : PAUSE_MILLISECONDS)) return;
    this.#triedAt = now;
    this.#reading = this.#read();
  }

  async #read(): Promise<void> {
    const { keyValue, logger } = this.#options;
    const appeared = this.#appeared;
    try {
      const pools = new Map<string, AnnouncedPool>();
      for (const worker of await announcedWorkers(keyValue)) {
        const { pool, concurrency, takesJobs = 0, isAway, inHand } = worker;
        const others = pools.get(pool);
        const { slots, busy } = others?.connected ?? NOT_CONNECTED;
        pools.set(pool, {
          connected: isAway ? { slots, busy } : { slots: slots + concurrency, busy: busy + inHand },
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

/** How long a reply or a consumer proves that a pool has an executor. */
const ALIVE_MILLISECONDS = 2_000;
/** How long a caller waits for an executor to appear before the run fails with no_executor. */
const EXECUTOR_WAIT_MILLISECONDS = 1_500;
const RETRY_MILLISECONDS = 250;
const MAXIMUM_POOLS = 1_000;

export interface PoolWatchOptions {
  readonly bus: Pick<MessageBus, 'queueStatus'>;
  readonly names: BrokerNames;
  readonly now?: () => number;
}

/**
 * Tracks which pools have executors. A pool that sent a reply recently is alive. For any other pool the broker is asked
 * for the consumers of its queues before a run is sent, so that no run is left in a queue without a consumer.
 */
export class PoolWatch {
  readonly #options: PoolWatchOptions;
  readonly #now: () => number;
  readonly #lastSeen = new LRUCache<string, number>({ max: MAXIMUM_POOLS });
  readonly #checks = new Map<string, Promise<boolean>>();

  constructor(options: PoolWatchOptions) {
    this.#options = options;
    this.#now = options.now ?? machineTime;
  }

  /** Records that an executor of this pool is alive. */
  markAlive(pool: string): void {
    this.#lastSeen.set(pool, this.#now());
  }

  isAlive(pool: string): boolean {
    const markAlive = this.#lastSeen.get(pool);
    return markAlive !== undefined && this.#now() - markAlive < ALIVE_MILLISECONDS;
  }

  /**
   * Returns undefined when the pool is known to be alive. Otherwise resolves once it is, or rejects with no_executor.
   */
  ready(runPool: RunPool): Promise<void> | undefined {
    const { pool } = runPool;
    if (this.isAlive(pool)) return undefined;
    let check = this.#checks.get(pool);
    if (!check) {
      check = this.#waitForConsumer(pool).finally(() => this.#checks.delete(pool));
      this.#checks.set(pool, check);
    }
    return check.then((hasConsumer) => {
      if (!hasConsumer) throw noExecutor(runPool);
    });
  }

  /**
   * Resolves to the status of the pool's interactive lane, or of its standby if that has consumers and responds first,
   * since a queue on an unresponsive node does not respond. Null when neither queue exists. Rejects when the lane does
   * not respond.
   */
  async status(pool: string): Promise<QueueStatus | null> {
    const { bus, names } = this.#options;
    const lane = bus.queueStatus(names.lane('interactive', pool));
    const standby = bus.queueStatus(names.standbyLane(pool));
    const consumedQueues = [lane, standby].map(async (statusQuery) => {
      const status = await statusQuery;
      if (status === null || status.consumers === 0) throw new Error('the queue has no consumers');
      return status;
    });
    try {
      const status = await Promise.any(consumedQueues);
      this.markAlive(pool);
      return status;
    } catch {
      return lane;
    }
  }

  /** Resolves to false when no executor appears in time. */
  async #waitForConsumer(pool: string): Promise<boolean> {
    const end = this.#now() + EXECUTOR_WAIT_MILLISECONDS;
    for (;;) {
      const status = await this.status(pool);
      if (status && status.consumers > 0) return true;
      if (this.#now() >= end) return false;
      await sleep(RETRY_MILLISECONDS);
    }
  }
}
