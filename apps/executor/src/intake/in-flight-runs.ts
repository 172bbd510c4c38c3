import type { Verdict } from '@millrace/messaging';

/** A delivery of a run. */
export interface RunDelivery {
  readonly job: { readonly runId: string };
  /**
   * True when the message was redelivered so often that the broker may soon treat it as poison, whatever the cause. It
   * is settled as soon as the run is claimed, so that no further redeliveries are counted.
   */
  readonly isNearDeliveryLimit: boolean;
}

/** The settlement of a run's messages, for the work on the run. */
export interface Settlement {
  /** True when the messages are settled although the run continues; then only its row can recover it. */
  readonly isSettled: boolean;
  /** Must be called when the run is claimed: from then on it is recovered by its lease. */
  onClaimed(): void;
  /** Keeps the run in flight after its verdict until this resolves; it must not reject. */
  holdUntil(ended: Promise<unknown>): void;
  /** Must be called for a run that ends without a row: no other delivery of it is executed. */
  endWithoutRow(): void;
}

/** What is done with the first delivery of a run. */
export interface RunWork<Delivered extends RunDelivery> {
  /** Executes the job. */
  run(delivered: Delivered, settlement: Settlement): Promise<Verdict>;
  /**
   * Hands the run off to another executor, whatever its row contains. Resolves to false when that fails; the run is
   * then recovered by redelivery. Never rejects.
   */
  handOff(delivered: Delivered): Promise<boolean>;
}

/**
 * A run in flight, from the arrival of its first delivery to its verdict, or longer when it is held. All of its deliveries are
 * settled alike: by the verdict, by the hand-off, or, once one of them is near the delivery limit, as soon as the run is claimed.
 */
class InFlightRun<Delivered extends RunDelivery> implements Settlement {
  readonly settled: Promise<Verdict>;
  /** Rejects with the error of the work. */
  readonly verdict: Promise<Verdict>;
  isSettled = false;
  held: Promise<unknown> | null = null;
  readonly endWithoutRow: () => void;
  readonly #work: RunWork<Delivered>;
  readonly #delivered: Delivered;
  readonly #settle: (verdict: Verdict) => void;
  #isNearDeliveryLimit: boolean;
  #isClaimed = false;

  constructor(work: RunWork<Delivered>, delivered: Delivered, endWithoutRow: () => void) {
    this.endWithoutRow = endWithoutRow;
    const { promise, resolve, reject } = deferred<Verdict>();
    this.settled = promise;
    this.#settle = resolve;
    this.#work = work;
    this.#delivered = delivered;
    this.#isNearDeliveryLimit = delivered.isNearDeliveryLimit;
    this.verdict = work.run(delivered, this);
    this.verdict.then(resolve, reject);
  }

  onClaimed(): void {
    this.#isClaimed = true;
    this.#settleNearLimit();
  }

  holdUntil(ended: Promise<unknown>): void {
    this.held = ended;
  }

  /** Adds another delivery of the run. */
  join({ isNearDeliveryLimit }: RunDelivery): Promise<Verdict> {
    this.#isNearDeliveryLimit ||= isNearDeliveryLimit;
    this.#settleNearLimit();
    return this.settled;
  }

  async handOff(): Promise<void> {
    if (await this.#work.handOff(this.#delivered)) this.#settle('done');
  }

  #settleNearLimit(): void {
    if (!this.#isNearDeliveryLimit || !this.#isClaimed) return;
    this.isSettled = true;
    this.#settle('done');
  }
}

/**
 * The in-flight runs of this process. A second delivery of one of them (after a broken connection, or from the sweeper)
 * is settled with the first: it causes neither a second execution nor a takeover by the same process.
 */
export class InFlightRuns<Delivered extends RunDelivery> {
  readonly #work: RunWork<Delivered>;
  readonly #runs = new Map<string, InFlightRun<Delivered>>();
  readonly #rowless = new RecentIds();

  constructor(work: RunWork<Delivered>) {
    this.#work = work;
  }

  /** Executes the job, unless its run is already in flight. Resolves when the message must be settled. */
  settle(delivered: Delivered): Promise<Verdict> {
    const { runId } = delivered.job;
    const known = this.#runs.get(runId);
    if (known) return known.join(delivered);
    if (this.#rowless.has(runId)) return Promise.resolve('done');
    const run = new InFlightRun(this.#work, delivered, () => this.#rowless.add(runId));
    this.#runs.set(runId, run);
    const remove = () => void this.#runs.delete(runId);
    run.verdict.then(() => (run.held === null ? remove() : run.held.then(remove)), remove);
    return run.settled;
  }

  /**
   * Returns whether the run is in flight: it is about to start, is executed, or is being recorded. True also for one that has ended
   * here without a row: a delivery that could not be acknowledged, alone or with others, comes again.
   */
  has(runId: string): boolean {
    return this.#runs.has(runId) || this.#rowless.has(runId);
  }

  /** Resolves when all in-flight runs are finished, including those whose messages are already settled. Never rejects. */
  async finished(): Promise<void> {
    await Promise.allSettled([...this.#runs.values()].map(({ verdict }) => verdict));
  }

  /** Hands off the runs that are still in flight, and settles their deliveries. Never rejects. */
  async handOff(): Promise<void> {
    await Promise.all([...this.#runs.values()].map((run) => run.handOff()));
  }
}

/** A delivery that comes again is executed, or another executor asks about it, within this time. */
const KEPT_MILLISECONDS = 60_000;
const MAXIMUM_KEPT = 50_000;

/** Ids of the last minute, or of the last two; fewer when they are too many. */
class RecentIds {
  #newer = new Set<string>();
  #older = new Set<string>();
  #since = 0;

  add(id: string): void {
    const now = performance.now();
    if (now - this.#since > KEPT_MILLISECONDS || this.#newer.size >= MAXIMUM_KEPT) {
      this.#older = this.#newer;
      this.#newer = new Set();
      this.#since = now;
    }
    this.#newer.add(id);
  }

  has(id: string): boolean {
    return this.#newer.has(id) || this.#older.has(id);
  }
}

function deferred<T>() {
  let resolve!: (value: T) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<T>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  return { promise, resolve, reject };
}
