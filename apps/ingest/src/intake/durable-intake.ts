import type { RunPublisher } from '@millrace/dispatch';
import { HttpError } from '@millrace/http';
import { GroupCommit, isRowError } from '@millrace/runs';
import type { NewRun, UserBacklogs } from '@millrace/runs';
import { DatabaseStallGuard } from './database-stall-guard';

/** Must be more than the messages that two connections of a source deliver ahead: one that was lost and the one after it. */
const MAXIMUM_PENDING = 5_000;

export interface DurableIntakeDependencies {
  readonly publisher: RunPublisher;
  readonly backlogs: UserBacklogs;
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

  /** As `store`, but rejects as `inTime` does; the item can still be committed after that. */
  storeInTime(item: Item): Promise<Outcome> {
    return this.#stallGuard.withinDeadline(() => this.#commit.add(item));
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
