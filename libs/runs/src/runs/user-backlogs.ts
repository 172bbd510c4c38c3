import type { Logger } from '@millrace/service';
import { LRUCache } from 'lru-cache';
import type { RunStore } from './run-store';

const COUNTED_EVERY_MILLISECONDS = 2_000;
const MAXIMUM_USERS = 10_000;

interface Backlog {
  count: number;
  /** By performance.now(). */
  countedAt: number;
}

export interface UserBacklogsDependencies {
  readonly runs: Pick<RunStore, 'countWaiting'>;
  readonly logger: Pick<Logger, 'warn'>;
  /** Runs of one user that may wait for their turn. */
  readonly maximum: number;
}

/**
 * How many runs of each user wait for their turn, as far as this process knows: counted in the database every other
 * second, and only of users whose runs it has seen wait. So the limit may be passed by what comes in that time.
 */
export class UserBacklogs {
  readonly #dependencies: UserBacklogsDependencies;
  // Bounded by size, because with `max` the room for all entries is taken at once.
  readonly #backlogs = new LRUCache<string, Backlog>({ maxSize: MAXIMUM_USERS, sizeCalculation: () => 1 });

  constructor(dependencies: UserBacklogsDependencies) {
    this.#dependencies = dependencies;
  }

  /** Why no more of the user's runs may come; null when they may. */
  refusal(userId: string): { readonly text: string; readonly retryAfterSeconds: number } | null {
    const { maximum } = this.#dependencies;
    const backlog = this.#backlogs.get(userId);
    if (!backlog || backlog.count < maximum) return null;
    this.#countNow(userId, backlog);
    const text = `${maximum} background runs of this user wait for their turn, which is as many as may.`;
    return { text, retryAfterSeconds: 30 };
  }

  /** One more of the user's runs waits. */
  grow(userId: string): void {
    const backlog = this.#backlogs.get(userId) ?? { count: 0, countedAt: Number.NEGATIVE_INFINITY };
    backlog.count += 1;
    this.#backlogs.set(userId, backlog);
    this.#countNow(userId, backlog);
  }

  /** Unless that was done a moment ago. */
  #countNow(userId: string, backlog: Backlog): void {
    const { runs, logger, maximum } = this.#dependencies;
    const now = performance.now();
    if (now - backlog.countedAt < COUNTED_EVERY_MILLISECONDS) return;
    backlog.countedAt = now;
    runs.countWaiting(userId, maximum).then(
      (count) => {
        backlog.count = count;
      },
      (error: unknown) => logger.warn({ error, userId }, 'the runs that wait were not counted'),
    );
  }
}
