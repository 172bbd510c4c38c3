import type { Verdict } from '@millrace/messaging';

/** What is to be done about a delivery. */
export interface DeliveryWork {
  /**
   * The message came back so often that the broker may soon take it for poison, whatever brought it back. It is settled
   * as soon as its run is held by other means, and no more returns are counted.
   */
  readonly isWorn: boolean;
  /** Calls `held` when the run's row says who has it: from then on its lease brings it back, and its attempts count. */
  work(held: () => void): Promise<Verdict>;
  /**
   * Sends the run to somebody else, whatever its row says of this process; false when that is not to be had, and its
   * delivery must bring it back. Never rejects.
   */
  leave(): Promise<boolean>;
}

/**
 * A run whose deliveries this process has in hand, from the first one's arrival to its verdict. All of them are settled
 * alike: by the verdict, by leaving the run to others, or, once one of them is worn, as soon as the row holds the run.
 */
class RunInHand {
  readonly settled: Promise<Verdict>;
  /** Rejects with whatever the work does. */
  readonly verdict: Promise<Verdict>;
  /** Its messages are gone from the queue, whatever its verdict will be. */
  isSettled = false;
  readonly #delivery: DeliveryWork;
  readonly #settle: (verdict: Verdict) => void;
  #isWorn: boolean;
  #isHeld = false;

  constructor(delivery: DeliveryWork) {
    const { promise, resolve, reject } = deferred<Verdict>();
    this.settled = promise;
    this.#settle = resolve;
    this.#delivery = delivery;
    this.#isWorn = delivery.isWorn;
    this.verdict = delivery.work(() => {
      this.#isHeld = true;
      this.#settleWorn();
    });
    this.verdict.then(resolve, reject);
  }

  /** One more delivery of the run has come. */
  join({ isWorn }: DeliveryWork): Promise<Verdict> {
    this.#isWorn ||= isWorn;
    this.#settleWorn();
    return this.settled;
  }

  async leave(): Promise<void> {
    if (await this.#delivery.leave()) this.#settle('done');
  }

  #settleWorn(): void {
    if (!this.#isWorn || !this.#isHeld) return;
    this.isSettled = true;
    this.#settle('done');
  }
}

/**
 * The runs that this process has in hand. A second delivery of one of them (the connection was cut, or the sweeper was
 * careful) is settled with the first: it is never a reason to run it twice, nor to take it over from ourselves.
 */
export class DeliveriesInHand {
  readonly #runs = new Map<string, RunInHand>();

  /** Does the work, unless the run is in hand already. Resolves when the message is to be settled. */
  settle(runId: string, delivery: DeliveryWork): Promise<Verdict> {
    const known = this.#runs.get(runId);
    if (known) return known.join(delivery);
    const run = new RunInHand(delivery);
    this.#runs.set(runId, run);
    const over = () => void this.#runs.delete(runId);
    run.verdict.then(over, over);
    return run.settled;
  }

  /** Whether the run is in hand: it is about to begin, goes on, or is being written down. */
  has(runId: string): boolean {
    return this.#runs.has(runId);
  }

  /** Whether the run's message is gone from its queue although the run goes on: nothing but its row brings it back. */
  isSettled(runId: string): boolean {
    return this.#runs.get(runId)?.isSettled === true;
  }

  /** Resolves when no run is in hand, those included whose messages are settled already. Never rejects. */
  async ended(): Promise<void> {
    await Promise.allSettled([...this.#runs.values()].map(({ verdict }) => verdict));
  }

  /** Leaves the runs that are still in hand to others, and settles their deliveries. Never rejects. */
  async leave(): Promise<void> {
    await Promise.all([...this.#runs.values()].map((run) => run.leave()));
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
