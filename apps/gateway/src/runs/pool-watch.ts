import { setTimeout as sleep } from 'node:timers/promises';
import type { BrokerNames } from '@millrace/contracts';
import type { MessageBus, QueueStatus } from '@millrace/messaging';
import { LRUCache } from 'lru-cache';
import { RequestError } from '../http/request-error';

/** A sign of life counts this long. */
const ALIVE_MILLISECONDS = 2_000;
/** How long a caller waits for an executor to appear before it is told that there is none. */
const PATIENCE_MILLISECONDS = 1_500;
const ASK_AGAIN_MILLISECONDS = 250;
const MAXIMUM_POOLS = 1_000;

export interface PoolWatchOptions {
  readonly bus: Pick<MessageBus, 'queueStatus'>;
  readonly names: BrokerNames;
  readonly now?: () => number;
}

/**
 * Knows which pools have executors. A pool whose replies come is alive without asking; a quiet one is asked for its
 * consumers before a run is sent there, so that no run is left in a queue nobody reads.
 */
export class PoolWatch {
  readonly #options: PoolWatchOptions;
  readonly #now: () => number;
  readonly #lastSeen = new LRUCache<string, number>({ max: MAXIMUM_POOLS });
  readonly #asking = new Map<string, Promise<void>>();

  constructor(options: PoolWatchOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** An executor of this pool was heard of. */
  seen(pool: string): void {
    this.#lastSeen.set(pool, this.#now());
  }

  isAlive(pool: string): boolean {
    const seen = this.#lastSeen.get(pool);
    return seen !== undefined && this.#now() - seen < ALIVE_MILLISECONDS;
  }

  /** Undefined when the pool is known to be alive; else resolves once it is, or rejects with no_executor. */
  ready(pool: string): Promise<void> | undefined {
    if (this.isAlive(pool)) return undefined;
    let asking = this.#asking.get(pool);
    if (!asking) {
      asking = this.#waitForConsumer(pool).finally(() => this.#asking.delete(pool));
      this.#asking.set(pool, asking);
    }
    return asking;
  }

  /**
   * What the pool's interactive lane looks like now, or its standby where that has consumers and answers first: a queue
   * on a frozen node answers nothing. Null when neither is there; rejects when the lane does not answer.
   */
  async status(pool: string): Promise<QueueStatus | null> {
    const { bus, names } = this.#options;
    const lane = bus.queueStatus(names.lane('interactive', pool));
    const standby = bus.queueStatus(names.standbyLane(pool));
    const consumed = [lane, standby].map(async (asked) => {
      const status = await asked;
      if (status === null || status.consumers === 0) throw new Error('nobody consumes from it');
      return status;
    });
    try {
      const status = await Promise.any(consumed);
      this.seen(pool);
      return status;
    } catch {
      return lane;
    }
  }

  async #waitForConsumer(pool: string): Promise<void> {
    const end = this.#now() + PATIENCE_MILLISECONDS;
    for (;;) {
      const status = await this.status(pool);
      if (status && status.consumers > 0) return;
      if (this.#now() >= end) throw noExecutor(pool);
      await sleep(ASK_AGAIN_MILLISECONDS);
    }
  }
}

export function noExecutor(pool: string): RequestError {
  const headers = { 'retry-after': '2' };
  return new RequestError('no_executor', `No executor of the pool "${pool}" is running.`, { headers });
}
