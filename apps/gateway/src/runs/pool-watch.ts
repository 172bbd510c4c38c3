import { setTimeout as sleep } from 'node:timers/promises';
import type { BrokerNames } from '@millrace/messages';
import type { MessageBus, QueueStatus } from '@millrace/messaging';
import { machineTime } from '@millrace/service';
import { LRUCache } from 'lru-cache';
import { noExecutor } from './run-error';
import type { RunPool } from './run-error';

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
