/** The runs of a flow whose records a process keeps in a second, whatever the sample is. */
const RUNS_OF_A_FLOW = 10;
/** Those of all flows together. */
const RUNS = 100;

/** Counts the runs of a second, so that records of all runs are kept while there are few. */
export class RareRuns {
  readonly #now: () => number;
  readonly #byFlow = new Map<string, number>();
  #second = 0;
  #left = RUNS;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Returns whether the run is among the first of its second, and counts it. */
  take(flowId: string): boolean {
    const second = Math.floor(this.#now() / 1_000);
    if (second !== this.#second) {
      this.#second = second;
      this.#left = RUNS;
      this.#byFlow.clear();
    }
    const taken = this.#byFlow.get(flowId) ?? 0;
    if (taken === RUNS_OF_A_FLOW || this.#left === 0) return false;
    this.#byFlow.set(flowId, taken + 1);
    this.#left -= 1;
    return true;
  }
}
