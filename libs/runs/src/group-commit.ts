import { GroupCommitClosedError, GroupCommitFullError } from './group-commit-errors';

const CLOSE_MILLISECONDS = 30_000;

export interface GroupCommitOptions<Item, Result> {
  /** Commits all items or none; resolves to one result per item, in order. Must end in bounded time. */
  readonly commit: (items: Item[]) => Promise<Result[]>;
  /** How long an item waits for company when nothing is being committed. */
  readonly maximumWaitMilliseconds: number;
  /** How long items go on gathering after a commit, unless they are enough for a full one; 0 unless given. */
  readonly restMilliseconds?: number;
  /** Items in one commit. */
  readonly maximumItems: number;
  /** Items not yet settled; `add` rejects with GroupCommitFullError beyond. */
  readonly maximumPending: number;
  /** Commits at a time; 1 unless given. */
  readonly maximumInFlight?: number;
  /** Errors that one item alone may have caused: its batch is then split and committed in halves. */
  readonly splitOn?: (error: unknown) => boolean;
  /** Told of each failed commit; the items' promises reject as well. */
  readonly onError?: (error: unknown, items: number) => void;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Gathers items of many callers into few commits. An idle one waits a moment for company; under load the next batch
 * starts as soon as a commit ends, so that batches grow with the load and nobody waits for a timer. Where nobody waits
 * for the commits either, a rest between them makes the batches larger and the commits fewer.
 */
export class GroupCommit<Item, Result> {
  readonly #options: GroupCommitOptions<Item, Result>;
  readonly #maximumInFlight: number;
  #waiting: Waiting<Item, Result>[] = [];
  #unsettled = 0;
  #inFlight = 0;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  #idle: (() => void)[] = [];

  constructor(options: GroupCommitOptions<Item, Result>) {
    this.#options = options;
    this.#maximumInFlight = options.maximumInFlight ?? 1;
  }

  /** Items added and not yet settled. */
  get pending(): number {
    return this.#unsettled;
  }

  /** Resolves to the item's result once it is committed; rejects with the commit's error. */
  add(item: Item): Promise<Result> {
    if (this.#closed) return Promise.reject(new GroupCommitClosedError());
    if (this.#unsettled >= this.#options.maximumPending) {
      return Promise.reject(new GroupCommitFullError(this.#options.maximumPending));
    }
    this.#unsettled += 1;
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#consider();
    });
  }

  /** Commits what waits without waiting for company; resolves when nothing is pending any more. */
  async flush(): Promise<void> {
    if (this.#unsettled === 0) return;
    const idle = new Promise<void>((resolve) => this.#idle.push(resolve));
    this.#fill();
    await idle;
  }

  /** Takes nothing more and commits what it has; what still waits after 30 s is rejected. Twice is fine. */
  async close(): Promise<void> {
    this.#closed = true;
    const deadline = setTimeout(() => this.#abandon(), CLOSE_MILLISECONDS);
    await this.flush();
    clearTimeout(deadline);
  }

  #consider(): void {
    if (this.#inFlight >= this.#maximumInFlight) return;
    // While one commit runs, a second one is worth starting only when it is full.
    if (this.#isReady()) this.#fill();
    else if (this.#inFlight === 0) this.#fillWithin(this.#options.maximumWaitMilliseconds);
  }

  #isReady(): boolean {
    return this.#closed || this.#waiting.length >= this.#options.maximumItems;
  }

  #fillWithin(milliseconds: number): void {
    this.#timer ??= setTimeout(() => this.#fill(), milliseconds);
  }

  /** Starts as many commits as may run. */
  #fill(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    while (this.#waiting.length > 0 && this.#inFlight < this.#maximumInFlight) {
      const batch = this.#waiting.splice(0, this.#options.maximumItems);
      this.#inFlight += 1;
      void this.#commit(batch).finally(() => {
        this.#inFlight -= 1;
        this.#unsettled -= batch.length;
        this.#goOn();
        if (this.#unsettled === 0) this.#becomeIdle();
      });
    }
  }

  /** After a commit. */
  #goOn(): void {
    const { restMilliseconds = 0 } = this.#options;
    if (this.#waiting.length === 0) return;
    if (restMilliseconds === 0 || this.#isReady()) this.#fill();
    else this.#fillWithin(restMilliseconds);
  }

  /** Settles every item of the batch; never rejects. */
  async #commit(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#options.commit(batch.map(({ item }) => item));
      if (results.length !== batch.length) throw new Error('a commit must give one result per item');
      batch.forEach(({ resolve }, index) => resolve(results[index] as Result));
    } catch (error) {
      if (batch.length > 1 && this.#options.splitOn?.(error) === true) return this.#commitHalves(batch);
      for (const { reject } of batch) reject(error);
      this.#options.onError?.(error, batch.length);
    }
  }

  async #commitHalves(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    const middle = Math.ceil(batch.length / 2);
    await this.#commit(batch.slice(0, middle));
    await this.#commit(batch.slice(middle));
  }

  #becomeIdle(): void {
    const waiting = this.#idle;
    this.#idle = [];
    for (const resolve of waiting) resolve();
  }

  #abandon(): void {
    const abandoned = this.#waiting.splice(0);
    this.#unsettled -= abandoned.length;
    for (const { reject } of abandoned) reject(new GroupCommitClosedError());
    this.#becomeIdle();
  }
}
