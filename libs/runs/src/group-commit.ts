import { GroupCommitClosedError, GroupCommitFullError } from './group-commit-errors';

const CLOSE_MILLISECONDS = 30_000;

export interface GroupCommitOptions<Item, Result> {
  /** Commits all items or none; resolves to one result per item, in order. Must end in bounded time. */
  readonly commit: (items: Item[]) => Promise<Result[]>;
  /** How long an item waits for further items while no commit runs; 0 for those of the same turn of the event loop. */
  readonly maximumWaitMilliseconds: number;
  /** Pause after a commit in which items gather, unless they fill a batch; 0 unless given. */
  readonly pauseAfterCommitMilliseconds?: number;
  /** Maximum number of items in one commit. */
  readonly maximumItems: number;
  /** Maximum number of items not yet settled; beyond it `add` rejects with GroupCommitFullError. */
  readonly maximumPending: number;
  /** Maximum number of concurrent commits; 1 unless given. */
  readonly maximumInFlight?: number;
  /** Whether one item alone can have caused the error: its batch is then split and committed in halves. */
  readonly splitOn?: (error: unknown) => boolean;
  /** Called for each failed commit; the items' promises reject as well. */
  readonly onError?: (error: unknown, items: number) => void;
}

interface PendingItem<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Gathers the items of many callers into few commits. While no commit runs, an item waits a moment for further items.
 * Under load the next batch starts as soon as a commit ends, so that batches grow with the load and no item waits for a
 * timer. Where no caller waits for the commits, a pause between them makes batches larger and commits fewer.
 */
export class GroupCommit<Item, Result> {
  readonly #options: GroupCommitOptions<Item, Result>;
  readonly #maximumInFlight: number;
  #queue: PendingItem<Item, Result>[] = [];
  #pendingCount = 0;
  #inFlight = 0;
  #cancelStart: (() => void) | undefined;
  #closed = false;
  #idleListeners: (() => void)[] = [];

  constructor(options: GroupCommitOptions<Item, Result>) {
    this.#options = options;
    this.#maximumInFlight = options.maximumInFlight ?? 1;
  }

  /** Items added and not yet settled. */
  get pending(): number {
    return this.#pendingCount;
  }

  /** Resolves to the item's result once it is committed; rejects with the commit's error. */
  add(item: Item): Promise<Result> {
    if (this.#closed) return Promise.reject(new GroupCommitClosedError());
    if (this.#pendingCount >= this.#options.maximumPending) {
      return Promise.reject(new GroupCommitFullError(this.#options.maximumPending));
    }
    this.#pendingCount += 1;
    return new Promise<Result>((resolve, reject) => {
      this.#queue.push({ item, resolve, reject });
      this.#commitWhenReady();
    });
  }

  /** Commits pending items without delay; resolves when none is pending. */
  async flush(): Promise<void> {
    if (this.#pendingCount === 0) return;
    const idle = new Promise<void>((resolve) => this.#idleListeners.push(resolve));
    this.#startCommits();
    await idle;
  }

  /** Accepts no further items and commits pending ones; rejects those still pending after 30 s. Idempotent. */
  async close(): Promise<void> {
    this.#closed = true;
    const deadline = setTimeout(() => this.#abandon(), CLOSE_MILLISECONDS);
    await this.flush();
    clearTimeout(deadline);
  }

  #commitWhenReady(): void {
    if (this.#inFlight >= this.#maximumInFlight) return;
    // While one commit runs, a second one is worth starting only when it is full.
    if (this.#isBatchReady()) this.#startCommits();
    else if (this.#inFlight === 0) this.#startCommitsWithin(this.#options.maximumWaitMilliseconds);
  }

  #isBatchReady(): boolean {
    return this.#closed || this.#queue.length >= this.#options.maximumItems;
  }

  #startCommitsWithin(milliseconds: number): void {
    if (this.#cancelStart) return;
    if (milliseconds === 0) {
      // A timer takes at least a millisecond.
      const immediate = setImmediate(() => this.#startCommits());
      this.#cancelStart = () => clearImmediate(immediate);
    } else {
      const timer = setTimeout(() => this.#startCommits(), milliseconds);
      this.#cancelStart = () => clearTimeout(timer);
    }
  }

  /** Starts commits up to the limit of concurrent commits. */
  #startCommits(): void {
    this.#cancelStart?.();
    this.#cancelStart = undefined;
    while (this.#queue.length > 0 && this.#inFlight < this.#maximumInFlight) {
      const batch = this.#queue.splice(0, this.#options.maximumItems);
      this.#inFlight += 1;
      void this.#commit(batch).finally(() => {
        this.#inFlight -= 1;
        this.#pendingCount -= batch.length;
        this.#continueAfterCommit();
        if (this.#pendingCount === 0) this.#notifyIdle();
      });
    }
  }

  /** Starts or schedules the next commit after one has ended. */
  #continueAfterCommit(): void {
    const { pauseAfterCommitMilliseconds = 0 } = this.#options;
    if (this.#queue.length === 0) return;
    if (pauseAfterCommitMilliseconds === 0 || this.#isBatchReady()) this.#startCommits();
    else this.#startCommitsWithin(pauseAfterCommitMilliseconds);
  }

  /** Settles every item of the batch; never rejects. */
  async #commit(batch: readonly PendingItem<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#options.commit(batch.map(({ item }) => item));
      if (results.length !== batch.length) throw new Error('a commit must return one result per item');
      batch.forEach(({ resolve }, index) => resolve(results[index] as Result));
    } catch (error) {
      if (batch.length > 1 && this.#options.splitOn?.(error) === true) return this.#commitHalves(batch);
      for (const { reject } of batch) reject(error);
      this.#options.onError?.(error, batch.length);
    }
  }

  async #commitHalves(batch: readonly PendingItem<Item, Result>[]): Promise<void> {
    const middle = Math.ceil(batch.length / 2);
    await this.#commit(batch.slice(0, middle));
    await this.#commit(batch.slice(middle));
  }

  #notifyIdle(): void {
    const waiting = this.#idleListeners;
    this.#idleListeners = [];
    for (const resolve of waiting) resolve();
  }

  #abandon(): void {
    const abandoned = this.#queue.splice(0);
    this.#pendingCount -= abandoned.length;
    for (const { reject } of abandoned) reject(new GroupCommitClosedError());
    this.#notifyIdle();
  }
}
