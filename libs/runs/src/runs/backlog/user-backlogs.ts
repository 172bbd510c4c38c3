import type { Logger } from '@millrace/service';
import { LRUCache } from 'lru-cache';
import type { RunStore } from '../run-store';

const REFRESH_MILLISECONDS = 2_000;
const MAXIMUM_USERS = 10_000;

interface Backlog {
  count: number;
  /** By performance.now(). */
  countedAt: number;
}

export interface UserBacklogsDependencies {
  readonly runs: Pick<RunStore, 'countBacklog'>;
  readonly logger: Pick<Logger, 'warn'>;
  /** Maximum number of backlog runs of one user. */
  readonly maximum: number;
}

/**
 * Estimates the backlog of each user: counted in the database every two seconds, and only for users whose backlog runs
 * this process has seen. So the limit can be exceeded by the runs that arrive within that time.
 */
export class UserBacklogs {
  readonly #dependencies: UserBacklogsDependencies;
  // Bounded by size, because `max` would allocate memory for all entries at once.
  readonly #backlogs = new LRUCache<string, Backlog>({ maxSize: MAXIMUM_USERS, sizeCalculation: () => 1 });

  constructor(dependencies: UserBacklogsDependencies) {
    this.#dependencies = dependencies;
  }

  /** Returns why a further run of the user is refused; null when it is not. */
  refusal(userId: string): { readonly text: string; readonly retryAfterSeconds: number } | null {
    const { maximum } = this.#dependencies;
    const backlog = this.#backlogs.get(userId);
    if (!backlog || backlog.count < maximum) return null;
    this.#refresh(userId, backlog);
    const text = `Too many waiting background runs: the limit is ${maximum} per user.`;
    return { text, retryAfterSeconds: 30 };
  }

  /** Notes that one more run of the user joined the backlog. */
  increment(userId: string): void {
    const backlog = this.#backlogs.get(userId) ?? { count: 0, countedAt: Number.NEGATIVE_INFINITY };
    backlog.count += 1;
    this.#backlogs.set(userId, backlog);
    this.#refresh(userId, backlog);
  }

  /** Counts the backlog in the database, at most once per interval. */
  #refresh(userId: string, backlog: Backlog): void {
    const { runs, logger, maximum } = this.#dependencies;
    const now = performance.now();
    if (now - backlog.countedAt < REFRESH_MILLISECONDS) return;
    backlog.countedAt = now;
    runs.countBacklog(userId, maximum).then(
      (count) => {
        backlog.count = count;
      },
      (error: unknown) => logger.warn({ error, userId }, 'counting the backlog failed'),
    );
  }
}
