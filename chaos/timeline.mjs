/** The events of a chaos run, timed from the start of the load: printed as they happen and kept for the report. */
export class Timeline {
  #started = Date.now();
  #print;
  /** @type {{ readonly milliseconds: number, readonly what: string, readonly text: string }[]} */
  entries = [];

  /** @param {(line: string) => void} print */
  constructor(print) {
    this.#print = print;
  }

  begin() {
    this.#started = Date.now();
  }

  /**
   * @param {string} what
   * @param {string} text
   */
  add(what, text) {
    const milliseconds = Date.now() - this.#started;
    this.entries.push({ milliseconds, what, text });
    const seconds = milliseconds / 1_000;
    const minutes = String(Math.floor(seconds / 60)).padStart(2, '0');
    this.#print(`${minutes}:${(seconds % 60).toFixed(1).padStart(4, '0')}  ${what.padEnd(5)} ${text}`);
  }
}
