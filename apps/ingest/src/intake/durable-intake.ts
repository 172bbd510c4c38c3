import type { BacklogLimits, LimitedFlow } from '@millrace/access';
import type { RunPublisher } from '@millrace/dispatch';
import { HttpError } from '@millrace/http';
import { GroupCommit, isRowError } from '@millrace/runs';
import type { NewRun, UserBacklogs } from '@millrace/runs';
import { TimeoutError, withDeadline } from '@millrace/service';

/** Must be more than the messages that two connections of a source deliver ahead: one that was lost and the one after it. */
const MAXIMUM_PENDING = 5_000;

export interface DurableIntakeDependencies {
  readonly publisher: RunPublisher;
  readonly backlogs: UserBacklogs;
  readonly backlogLimits: Pick<BacklogLimits, 'store'>;
  /** Called when a run enters the backlog. */
  onBacklogged(): void;
}

export interface DurableIntakeOptions<Item, Outcome> extends DurableIntakeDependencies {
  /** Commits all items or none; resolves to one outcome per item, in order. */
  readonly commit: (items: Item[]) => Promise<Outcome[]>;
  /** With two, one batch fills while the other is written. With one, items are stored in the order in which they arrive. */
  readonly commitsAtOnce: 1 | 2;
}

/**
 * Stores what arrives through one door together with the runs that it starts, many in one transaction. A door answers or
 * acknowledges once `store` has resolved, and then releases the run.
 */
export class DurableIntake<Item, Outcome> {
  readonly #options: DurableIntakeOptions<Item, Outcome>;
  readonly #commit: GroupCommit<Item, Outcome>;
  readonly #stallGuard = new DatabaseStallGuard();

  constructor(options: DurableIntakeOptions<Item, Outcome>) {
    this.#options = options;
    this.#commit = new GroupCommit<Item, Outcome>({
      commit: options.commit,
      maximumWaitMilliseconds: 2,
      maximumItems: 200,
      maximumPending: MAXIMUM_PENDING,
      maximumInFlight: options.commitsAtOnce,
      splitOn: isRowError,
    });
  }

  /** Whether the backlog of the user has room for a further run. */
  hasRoom(userId: string): boolean {
    return this.#options.backlogs.refusal(userId) === null;
  }

  /** Throws too_many_waiting unless the backlog of the user has room. */
  refuseWithoutRoom(userId: string, headers?: Readonly<Record<string, string>>): void {
    const refusal = this.#options.backlogs.refusal(userId);
    if (refusal === null) return;
    const retry = { 'retry-after': String(refusal.retryAfterSeconds), ...headers };
    throw new HttpError('too_many_waiting', refusal.text, { headers: retry });
  }

  /**
   * Resolves to the outcome of a question to the database; rejects with DatabaseStalledError when it has none in time, at once
   * while an earlier one waits for that long.
   */
  inTime<T>(ask: () => Promise<T>): Promise<T> {
    return this.#stallGuard.withinDeadline(ask);
  }

  /** Resolves once the item is committed. */
  store(item: Item): Promise<Outcome> {
    return this.#commit.add(item);
  }

  /**
   * As `store`, but within the limits of the flow, and rejects as `inTime` does; the item can still be committed after that. `isNew`
   * says whether the outcome is another run.
   */
  storeInTime(flow: LimitedFlow, item: Item, isNew: (outcome: Outcome) => boolean): Promise<Outcome> {
    const { backlogLimits } = this.#options;
    // Not the count of a limit, which takes longer the more runs its owner has waiting.
    const store = () => this.#stallGuard.watch(() => this.#commit.add(item));
    return withinDeadline(backlogLimits.store(flow, store, isNew));
  }

  /** Publishes a run that was stored, unless it waits in the backlog. */
  release(run: NewRun, isInBacklog: boolean): void {
    const { publisher, backlogs, onBacklogged } = this.#options;
    if (!isInBacklog) return void publisher.publishNew(run);
    backlogs.increment(run.userId);
    onBacklogged();
  }

  /** Resolves when nothing is being stored. */
  close(): Promise<void> {
    return this.#commit.close();
  }
}

/** A database that takes longer than this counts as stalled: senders get an error at once instead of waiting for it. */
const RESPONSE_DEADLINE_MILLISECONDS = 2_000;
const STALLED_MESSAGE = 'the database does not answer';

/** The database did not answer in time. It can still complete the work that it was asked to do. */
export class DatabaseStalledError extends Error {
  readonly code = 'database_stuck';

  constructor(options?: ErrorOptions) {
    super(STALLED_MESSAGE, options);
    this.name = 'DatabaseStalledError';
  }
}

/** Fails fast while the database is silent: the first callers wait for the deadline, later ones not at all. */
export class DatabaseStallGuard {
  /** When each piece of pending work began; the oldest first. */
  readonly #startTimes = new Map<symbol, number>();

  /**
   * Resolves to the outcome of the work; rejects with DatabaseStalledError when it has none in time. The work itself
   * continues.
   */
  withinDeadline<T>(work: () => Promise<T>): Promise<T> {
    return withinDeadline(this.watch(work));
  }

  /** As the work; rejects with DatabaseStalledError at once while earlier work takes longer than the deadline. */
  async watch<T>(work: () => Promise<T>): Promise<T> {
    const [oldest] = this.#startTimes.values();
    if (oldest !== undefined && performance.now() - oldest > RESPONSE_DEADLINE_MILLISECONDS)
      throw new DatabaseStalledError();
    const mark = Symbol('work');
    this.#startTimes.set(mark, performance.now());
    return work().finally(() => this.#startTimes.delete(mark));
  }
}

async function withinDeadline<T>(outcome: Promise<T>): Promise<T> {
  try {
    return await withDeadline(outcome, RESPONSE_DEADLINE_MILLISECONDS, STALLED_MESSAGE);
  } catch (error) {
    throw error instanceof TimeoutError ? new DatabaseStalledError({ cause: error }) : error;
  }
}
