import type { Verdict } from '@millrace/messaging';

/**
 * The runs whose deliveries this process has in hand, from their arrival to their verdict. A second delivery of the
 * same run (the connection was cut, or the sweeper was careful) takes the first one's verdict: it is never a reason to
 * run it twice, nor to take it over from ourselves.
 */
export class DeliveriesInHand {
  readonly #verdicts = new Map<string, Promise<Verdict>>();

  /** Does the work, unless the run is in hand already. */
  settle(runId: string, work: () => Promise<Verdict>): Promise<Verdict> {
    const known = this.#verdicts.get(runId);
    if (known) return known;
    const verdict = work().finally(() => this.#verdicts.delete(runId));
    this.#verdicts.set(runId, verdict);
    return verdict;
  }
}
