import { setInterval } from 'node:timers';
import type { BudgetStore } from '@millrace/runs';
import type { Logger } from '@millrace/service';

/** In case a control message is lost. */
const REFRESH_MILLISECONDS = 30_000;
/** Of more users, each is taken for one with a budget. */
const MAXIMUM_USERS = 100_000;

export interface BudgetedUsersOptions {
  readonly store: Pick<BudgetStore, 'users'>;
  readonly logger: Pick<Logger, 'warn'>;
}

/**
 * Knows the users of which something has a budget, and the keys with one, so that the runs of all others pay nothing for budgets. Until the first successful read it
 * takes each user for one with a budget.
 */
export class BudgetedUsers {
  readonly #options: BudgetedUsersOptions;
  #users: ReadonlySet<string> | null = null;
  #timer: NodeJS.Timeout | undefined;
  #reading: Promise<void> | null = null;
  #isStale = false;

  constructor(options: BudgetedUsersOptions) {
    this.#options = options;
  }

  /** Reads the users in the background, and from then on again and again. */
  start(): void {
    this.#timer = setInterval(() => void this.refresh(), REFRESH_MILLISECONDS).unref();
    void this.refresh();
  }

  /** Of the id of a user or key. */
  has(id: string): boolean {
    return this.#users === null || this.#users.size >= MAXIMUM_USERS || this.#users.has(id);
  }

  /** Reads the users again; while it does so, one further time at most. */
  refresh(): Promise<void> {
    this.#isStale = true;
    this.#reading ??= this.#read().finally(() => (this.#reading = null));
    return this.#reading;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Never rejects. */
  async #read(): Promise<void> {
    const { store, logger } = this.#options;
    try {
      while (this.#isStale) {
        this.#isStale = false;
        this.#users = new Set(await store.users(MAXIMUM_USERS));
      }
    } catch (error) {
      logger.warn({ error }, 'could not read who has budgets; those read before apply');
    }
  }
}
