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
  /** The run must go back to its queue, and has no message there any more. Never rejects. */
  publishAgain(error?: unknown): Promise<void>;
  /**
   * Sends the run to somebody else, whatever its row says of this process; false when that is not to be had, and its
   * delivery must bring it back. Never rejects.
   */
  leave(): Promise<boolean>;
}

interface RunInHand {
  verdict: Promise<Verdict>;
  /** Its message is settled, whatever its verdict will be. */
  isSettled: boolean;
  /** A new message of it is in its queue, and its verdict is of no more interest. */
  isLeft: boolean;
  leave(): Promise<void>;
}

/**
 * The runs whose deliveries this process has in hand, from their arrival to their verdict. A second delivery of the
 * same run (the connection was cut, or the sweeper was careful) takes the first one's verdict: it is never a reason to
 * run it twice, nor to take it over from ourselves.
 */
export class DeliveriesInHand {
  readonly #runs = new Map<string, RunInHand>();

  /** Does the work, unless the run is in hand already. */
  settle(runId: string, delivery: DeliveryWork): Promise<Verdict> {
    const known = this.#runs.get(runId);
    if (!known) return this.#begin(runId, delivery);
    if (!delivery.isWorn) return known.verdict;
    known.isSettled = true;
    return Promise.resolve('done');
  }

  /** Resolves when no run is in hand, those included whose messages are settled already. Never rejects. */
  async ended(): Promise<void> {
    await Promise.allSettled([...this.#runs.values()].map(({ verdict }) => verdict));
  }

  /** Leaves the runs that are still in hand to others, and settles their deliveries. Never rejects. */
  async leave(): Promise<void> {
    await Promise.all([...this.#runs.values()].map((run) => run.leave()));
  }

  #begin(runId: string, delivery: DeliveryWork): Promise<Verdict> {
    return new Promise((settle, reject) => {
      const run: RunInHand = {
        verdict: Promise.resolve('retry'),
        isSettled: false,
        isLeft: false,
        leave: async () => {
          run.isLeft ||= await delivery.leave();
          if (run.isLeft) settle('done');
        },
      };
      const held = () => {
        if (!delivery.isWorn) return;
        run.isSettled = true;
        settle('done');
      };
      this.#runs.set(runId, run);
      run.verdict = finish(run, delivery, held).finally(() => this.#runs.delete(runId));
      run.verdict.then(settle, reject);
    });
  }
}

/** What is to go back to a queue that its message has left is published again. */
async function finish(run: RunInHand, delivery: DeliveryWork, held: () => void): Promise<Verdict> {
  let error: unknown;
  try {
    const verdict = await delivery.work(held);
    if (verdict !== 'retry' || !run.isSettled) return verdict;
  } catch (thrown) {
    if (!run.isSettled) throw thrown;
    error = thrown;
  }
  if (!run.isLeft) await delivery.publishAgain(error);
  return 'done';
}
