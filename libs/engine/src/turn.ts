/** How long a run may work before everybody else in the process has had a turn. */
const turnMilliseconds = 10;

/** A run's share of the process, counted in the time it works without waiting. */
export class Turn {
  #worked = 0;

  get isOver(): boolean {
    return this.#worked > turnMilliseconds;
  }

  count(milliseconds: number): void {
    this.#worked += milliseconds;
  }

  /** Calls back when timers, signals and other runs have had their turn. */
  pass(goOn: () => void): void {
    setImmediate(() => {
      this.#worked = 0;
      goOn();
    });
  }
}
