/** Time after which a run must yield to other work in the process. */
const sliceMilliseconds = 10;

/** The time slice of a run in the event loop: counts the time in which it works without waiting. */
export class TimeSlice {
  #worked = 0;

  get isOver(): boolean {
    return this.#worked > sliceMilliseconds;
  }

  count(milliseconds: number): void {
    this.#worked += milliseconds;
  }

  /** Calls back after timers, signals and other runs have been processed. */
  yieldToEventLoop(resume: () => void): void {
    setImmediate(() => {
      this.#worked = 0;
      resume();
    });
  }
}
